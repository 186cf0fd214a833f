"""Facts in the languages whose rules are read when a text is in them: each rule finds what it is for, go-aheads and
what only looks like a rule say nothing, and no language's rules count in a text of another."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.answers.inspection import Inspection
from inspector.config.fact_rules import OTHERS, load_rules, read_rules
from inspector.core.text import safe
from inspector.quality.facts.exact_values import gives, values_of
from inspector.quality.facts.fates.fate import fate
from inspector.quality.facts.reading.choices import agreed
from inspector.quality.facts.reading.extract import extract, facts_of
from inspector.quality.facts.rules.languages import rules_of
from inspector.quality.facts.rules.other_languages import OtherLanguages
from inspector.stores.detect import open_store
from tests.counting import calls_of
from tests.quality.facts.made_facts import RULES, fact, said, searchable

#: A sentence for each rule, which that rule must be the one to find.
EXAMPLES = {
    "es.hard-rule": "Las tablas de facturas no se tocan bajo ningún concepto.",
    "es.never": "Nunca hagas push directo a la rama principal.",
    "es.do-not": "No toques la carpeta de facturas.",
    "es.from-now-on": "A partir de ahora el registro lleva una entrada por cambio.",
    "es.must": "El almacén debe seguir abierto durante la copia.",
    "es.always": "Los nombres de las tablas van siempre en plural.",
    "es.only": "Despliega solo después de la revisión.",
    "es.bound": "Los reintentos son 3 como máximo.",
    "es.condition": "Pregúntame antes, la grúa es cara.",
    "es.keep": "Mantén el alias antiguo del muelle.",
    "es.polite": "Intenta no tocar las etiquetas del muelle.",
    "es.prefer": "Prefiero commits pequeños en cada muelle.",
    "es.correction": "Ya te dije que las tablas van en plural.",
    "es.decided-because": "Nos quedamos con Postgres porque Redis perdió los datos del muelle.",
    "es.decided": "Hemos decidido el segundo diseño para la grúa.",
    "es.should": "La grúa también debería aceptar una lista de nombres.",
    "es.assigned": "El servicio corre en el puerto 8443.",
    "es.agent-decided": "Opté por una cola limitada porque el escritor es lento.",
    "es.agent-rule": "El escritor requiere el bloqueo de la tabla.",
    "es.agent-root": "La causa raíz está en un argumento cambiado.",
    "es.agent-cause": "El segundo comando está mal y lee la tabla vieja.",
    "es.agent-finding": "`drain()` no espera al último escritor de la cola.",
    "es.agent-advises": "Recomiendo usar `drain_all()` en la cola.",
    "es.agent-renamed": "Renombré la función de la cola: es `drain_all()`.",
    "es.agent-did": "Cambié el límite de la cola a 40 filas.",
    "pt.hard-rule": "As tabelas de faturas são da equipe, em hipótese alguma são apagadas.",
    "pt.never": "Nunca faça push direto na branch principal.",
    "pt.do-not": "Não mexa na pasta das faturas.",
    "pt.from-now-on": "A partir de agora o registro leva uma entrada por mudança.",
    "pt.must": "O armazém tem que ficar aberto durante a cópia.",
    "pt.always": "Os nomes das tabelas ficam sempre no plural.",
    "pt.only": "Faça o deploy somente depois da revisão.",
    "pt.bound": "As tentativas são 3 no máximo.",
    "pt.condition": "Me avise antes, o guindaste é caro.",
    "pt.keep": "Mantenha o apelido antigo do cais.",
    "pt.polite": "Tente não trocar as etiquetas do cais.",
    "pt.prefer": "Prefiro commits pequenos em cada cais.",
    "pt.correction": "Eu já falei que as tabelas ficam no plural.",
    "pt.decided-because": "Ficamos com o Postgres porque o Redis perdeu os dados do cais.",
    "pt.decided": "Está decidido o segundo desenho para o guindaste.",
    "pt.should": "O guindaste também deveria aceitar uma lista de nomes.",
    "pt.assigned": "O serviço roda na porta 8443.",
    "pt.agent-decided": "Optei por uma fila limitada porque o escritor é lento.",
    "pt.agent-rule": "O escritor exige o bloqueio da tabela.",
    "pt.agent-root": "A causa raiz está em um argumento trocado.",
    "pt.agent-cause": "O segundo comando está errado e lê a tabela velha.",
    "pt.agent-finding": "`drain()` não espera o último escritor da fila.",
    "pt.agent-advises": "Recomendo usar `drain_all()` na fila.",
    "pt.agent-renamed": "Renomeei a função da fila para `drain_all()`.",
    "pt.agent-did": "Alterei o limite da fila para 40 registros.",
    "fr.hard-rule": "Les tables de factures ne sont en aucun cas vidées.",
    "fr.never": "Ne pousse jamais directement sur la branche principale.",
    "fr.do-not": "Ne touche pas au dossier des factures.",
    "fr.from-now-on": "Désormais le journal reçoit une entrée par changement.",
    "fr.must": "L'entrepôt doit rester ouvert pendant la copie.",
    "fr.always": "Les noms des tables sont toujours au pluriel.",
    "fr.only": "Déploie seulement après la relecture du quai.",
    "fr.bound": "Les tentatives sont 3 au maximum.",
    "fr.condition": "Préviens-moi avant, la grue est chère.",
    "fr.keep": "Garde l'ancien alias pour le quai.",
    "fr.polite": "Merci de garder les étiquettes du quai.",
    "fr.prefer": "Je préfère de petits commits par quai.",
    "fr.correction": "Je t'ai dit que les tables sont au pluriel.",
    "fr.decided-because": "On a choisi Postgres parce que Redis a perdu les données du quai.",
    "fr.decided": "On part sur le second plan pour la grue.",
    "fr.should": "La grue devrait aussi accepter une liste de noms.",
    "fr.assigned": "Ce service tourne sur le port 8443.",
    "fr.agent-decided": "J'ai choisi une file bornée parce que l'écrivain est lent.",
    "fr.agent-rule": "Cet écrivain nécessite le verrou de la table.",
    "fr.agent-root": "La cause racine est un argument inversé dans la grue.",
    "fr.agent-cause": "La seconde commande relit tout, car la table est vieille.",
    "fr.agent-finding": "`drain()` n'attend pas le dernier écrivain de la file.",
    "fr.agent-advises": "Je recommande `drain_all()` pour la file.",
    "fr.agent-renamed": "La fonction de la file est renommée en `drain_all()`.",
    "fr.agent-did": "J'ai modifié la limite de la file : 40 lignes.",
    "de.hard-rule": "Die Rechnungen werden auf keinen Fall geleert.",
    "de.never": "Pushe niemals direkt auf den Hauptzweig.",
    "de.do-not": "Den Ordner der Rechnungen bitte nicht anfassen.",
    "de.from-now-on": "Ab jetzt bekommt das Protokoll einen Eintrag je Änderung.",
    "de.must": "Das Lager muss während der Kopie offen bleiben.",
    "de.always": "Die Namen der Tabellen stehen immer im Plural.",
    "de.only": "Ausgeliefert wird nur nach der Durchsicht.",
    "de.bound": "Es gibt höchstens 3 Versuche für den Kran.",
    "de.condition": "Frag mich vorher, der Kran ist teuer.",
    "de.keep": "Behalte den alten Alias für den Kran.",
    "de.polite": "Lieber nicht an den Schildern der Rampe drehen.",
    "de.prefer": "Ich bevorzuge kleine Commits für jede Rampe.",
    "de.correction": "Wie gesagt stehen die Tabellen im Plural.",
    "de.decided-because": "Wir bleiben bei Postgres, weil Redis die Daten der Rampe verloren hat.",
    "de.decided": "Wir haben entschieden, den zweiten Entwurf der Rampe zu bauen.",
    "de.should": "Der Kran sollte auch eine Liste von Namen annehmen.",
    "de.assigned": "Der Dienst läuft auf Port 8443.",
    "de.agent-decided": "Ich habe mich für eine begrenzte Schlange entschieden, weil der Schreiber langsam ist.",
    "de.agent-rule": "Der Schreiber muss die Sperre der Tabelle halten.",
    "de.agent-root": "Der Fehler liegt in einem vertauschten Argument.",
    "de.agent-cause": "Der zweite Befehl ist falsch und liest die alte Tabelle.",
    "de.agent-finding": "`drain()` wartet nicht auf den letzten Schreiber.",
    "de.agent-advises": "Ich empfehle `drain_all()` für die Schlange.",
    "de.agent-renamed": "Die Funktion der Schlange ist in `drain_all()` umbenannt.",
    "de.agent-did": "Die Grenze der Schlange ist auf 40 Zeilen erhöht.",
    "id.hard-rule": "Tabel faktur itu harga mati untuk tim kami.",
    "id.never": "Jangan pernah push langsung ke cabang utama.",
    "id.do-not": "Jangan ubah folder faktur itu.",
    "id.from-now-on": "Mulai sekarang catatan mendapat satu entri untuk tiap perubahan.",
    "id.must": "Gudang harus tetap dibuka saat penyalinan.",
    "id.always": "Nama tabel selalu dalam bentuk jamak.",
    "id.only": "Rilis hanya setelah peninjauan dermaga.",
    "id.bound": "Percobaan itu maksimal 3 kali.",
    "id.condition": "Tanya dulu, karena derek itu mahal.",
    "id.keep": "Pertahankan alias lama untuk dermaga.",
    "id.polite": "Usahakan label dermaga tidak diganti.",
    "id.prefer": "Saya lebih suka commit kecil untuk tiap dermaga.",
    "id.correction": "Saya sudah bilang tabel itu dalam bentuk jamak.",
    "id.decided-because": "Kita tetap di Postgres karena Redis kehilangan data dermaga.",
    "id.decided": "Sudah diputuskan desain kedua untuk derek itu.",
    "id.should": "Derek itu seharusnya menerima daftar nama juga.",
    "id.assigned": "Layanan itu berjalan di port 8443.",
    "id.agent-decided": "Saya memilih antrean terbatas karena penulisnya lambat.",
    "id.agent-rule": "Penulis itu memerlukan kunci dari tabel.",
    "id.agent-root": "Akar masalahnya argumen yang tertukar di derek.",
    "id.agent-cause": "Perintah kedua menyesatkan dan membaca tabel lama itu.",
    "id.agent-finding": "`drain()` tidak menunggu penulis terakhir dari antrean.",
    "id.agent-advises": "Saya sarankan `drain_all()` untuk antrean itu.",
    "id.agent-renamed": "Nama fungsi antrean itu diganti menjadi `drain_all()`.",
    "id.agent-did": "Batas antrean itu diubah ke 40 baris.",
    "ja.hard-rule": "どんな場合でも請求書の表を空にはできません。",
    "ja.never": "本番の枝へは絶対に直接プッシュしません。",
    "ja.do-not": "請求書のフォルダは触らないでください。",
    "ja.from-now-on": "これからは変更ごとに記録を一行書く。",
    "ja.must": "複製の間も倉庫の表示は必須です。",
    "ja.always": "表の名前は常に複数形です。",
    "ja.only": "クレーンは読み取り専用です。",
    "ja.bound": "応答は 800 ミリ秒以内です。",
    "ja.condition": "承認なしで岸壁の設定を変えるのは困ります。",
    "ja.keep": "岸壁の古い別名はそのままにして。",
    "ja.polite": "できれば岸壁の札の交換は避けて。",
    "ja.prefer": "岸壁ごとの小さなコミットの方が好きです。",
    "ja.correction": "表は複数形だと言いました。",
    "ja.decided-because": "Postgres を採用、Redis は岸壁のデータを失ったため。",
    "ja.decided": "クレーンは二つ目の設計で行きましょう。",
    "ja.should": "クレーンには名前の一覧が必要です。",
    "ja.assigned": "サービスのポートは 8443 です。",
    "ja.agent-decided": "上限のある待ち行列を採用しました、書き込みが遅いためです。",
    "ja.agent-rule": "書き込み側は表のロックを取ってから書くのが仕様です。",
    "ja.agent-root": "失敗の原因は引数の入れ違いです。",
    "ja.agent-cause": "二つ目の命令は誤解を招く名前です。",
    "ja.agent-finding": "`drain()` は最後の書き込みを待っていません。",
    "ja.agent-advises": "待ち行列には `drain_all()` をお勧めします。",
    "ja.agent-renamed": "待ち行列の関数名を `drain_all()` に変えました。",
    "ja.agent-did": "待ち行列の上限を 40 件に変更しました。",
    "ko.hard-rule": "어떤 경우에도 송장 표를 비울 수 없어.",
    "ko.never": "본 가지에는 절대로 바로 올리면 곤란해.",
    "ko.do-not": "송장 폴더는 건드리지 말아줘.",
    "ko.from-now-on": "이제부터 변경마다 기록을 한 줄 적는다.",
    "ko.must": "복사하는 동안 창고는 반드시 열려 있는 상태로.",
    "ko.always": "표 이름은 항상 복수형이다.",
    "ko.only": "크레인 화면은 읽기 전용이다.",
    "ko.bound": "응답은 800 ms 이내로 나온다.",
    "ko.condition": "내 승인 받고 부두 설정을 바꾼다.",
    "ko.keep": "부두의 예전 별칭은 그대로 둬.",
    "ko.polite": "가급적 부두 표지는 교체를 피한다.",
    "ko.prefer": "부두마다 작은 커밋을 선호한다.",
    "ko.correction": "표는 복수형이라고 말했잖아.",
    "ko.decided-because": "Postgres 채택, 왜냐하면 Redis 는 부두 데이터를 잃었다.",
    "ko.decided": "크레인은 두 번째 설계로 결정.",
    "ko.should": "크레인은 이름 목록도 받을 수 있어야 한다고 본다.",
    "ko.assigned": "서비스 포트는 8443 이다.",
    "ko.agent-decided": "제한된 대기열을 선택했습니다, 쓰기가 느리니까요.",
    "ko.agent-rule": "쓰기 쪽은 표의 잠금을 가진 때에만 씁니다, 의도된 동작입니다.",
    "ko.agent-root": "실패의 원인은 뒤바뀐 인자입니다.",
    "ko.agent-cause": "두 번째 명령은 잘못된 표를 읽습니다.",
    "ko.agent-finding": "`drain()` 함수는 마지막 쓰기를 기다리지 않습니다.",
    "ko.agent-advises": "대기열에는 `drain_all()` 을 추천합니다.",
    "ko.agent-renamed": "대기열 함수의 이름을 변경했습니다: `drain_all()`",
    "ko.agent-did": "대기열 한도를 40 건으로 변경했습니다.",
    "nl.hard-rule": "De tabellen met facturen worden in geen geval leeggemaakt.",
    "nl.never": "Push nooit rechtstreeks naar de hoofdtak.",
    "nl.do-not": "Pas de map met facturen niet aan.",
    "nl.from-now-on": "Vanaf nu krijgt het logboek een regel per wijziging.",
    "nl.must": "Het magazijn moet open blijven tijdens de kopie.",
    "nl.always": "De namen van de tabellen staan altijd in het meervoud.",
    "nl.only": "Uitgerold wordt alleen na de controle van de kade.",
    "nl.bound": "Er zijn hoogstens 3 pogingen voor de kraan.",
    "nl.condition": "Vraag het eerst, de kraan is duur.",
    "nl.keep": "Behoud de oude alias van de kade.",
    "nl.polite": "Liever niet aan de bordjes van de kade draaien.",
    "nl.prefer": "Ik heb liever kleine commits voor elke kade.",
    "nl.correction": "Zoals ik al zei staan de tabellen in het meervoud.",
    "nl.decided-because": "We blijven bij Postgres, omdat Redis de gegevens van de kade kwijt was.",
    "nl.decided": "We hebben besloten het tweede ontwerp van de kraan te bouwen.",
    "nl.should": "De kraan zou ook een lijst met namen moeten aannemen.",
    "nl.assigned": "De dienst draait op poort 8443.",
    "nl.agent-decided": "Ik heb gekozen voor een begrensde wachtrij, omdat de schrijver traag is.",
    "nl.agent-rule": "De schrijver moet het slot van de tabel vasthouden.",
    "nl.agent-root": "De fout zit in een verwisseld argument van de kraan.",
    "nl.agent-cause": "Het tweede commando is verkeerd en leest de oude tabel.",
    "nl.agent-finding": "`drain()` wacht niet op de laatste schrijver.",
    "nl.agent-advises": "Ik raad `drain_all()` aan voor de wachtrij.",
    "nl.agent-renamed": "De functie van de wachtrij is hernoemd naar `drain_all()`.",
    "nl.agent-did": "De grens van de wachtrij is verhoogd naar 40 regels.",
    "ru.hard-rule": "Таблицы со счетами ни в коем случае не очищаются.",
    "ru.never": "Никогда не пушь прямо в главную ветку.",
    "ru.do-not": "Не трогай папку со счетами.",
    "ru.from-now-on": "С этого момента журнал получает одну запись на каждое изменение.",
    "ru.must": "Склад должен оставаться открытым во время копирования.",
    "ru.always": "Имена таблиц всегда во множественном числе.",
    "ru.only": "Выкладка идет только после проверки причала.",
    "ru.bound": "Попыток у крана не больше 3.",
    "ru.condition": "Сначала спроси меня, кран дорогой.",
    "ru.keep": "Оставь старый псевдоним причала.",
    "ru.polite": "Лучше не крутить таблички на причале.",
    "ru.prefer": "Я предпочитаю маленькие коммиты на каждый причал.",
    "ru.correction": "Я же говорил, таблицы называются во множественном числе.",
    "ru.decided-because": "Остаемся на Postgres, потому что Redis потерял данные причала.",
    "ru.decided": "Мы решили строить кран по второму проекту.",
    "ru.should": "По идее кран и список имен тоже должен бы принимать.",
    "ru.assigned": "Сервис работает на порту 8443.",
    "ru.agent-decided": "Я выбрал ограниченную очередь, потому что писатель медленный.",
    "ru.agent-rule": "Писатель должен держать блокировку таблицы.",
    "ru.agent-root": "Ошибка в перепутанном аргументе крана.",
    "ru.agent-cause": "Вторая команда неверная и читает старую таблицу.",
    "ru.agent-finding": "`drain()` не ждет последнего писателя.",
    "ru.agent-advises": "Рекомендую `drain_all()` для очереди крана.",
    "ru.agent-renamed": "Функция очереди переименована в `drain_all()`.",
    "ru.agent-did": "Предел очереди увеличен до 40 строк.",
}

#: What only nods, goes ahead or answers, and says nothing alone.
GO_AHEADS = (
    "Sí, hazlo.",
    "Vale, continúa por favor.",
    "Perfecto, gracias, haz commit y push.",
    "Sim, pode fazer.",
    "Beleza, pode continuar.",
    "Ótimo, faz commit e push.",
    "Oui, vas-y.",
    "D'accord, continue, merci.",
    "Parfait, commit et push.",
    "Ja, mach das bitte.",
    "Ok, weiter so, danke.",
    "Super, commit und push.",
    "Ja, doe maar.",
    "Oké, ga maar verder, bedankt.",
    "Prima, commit en push maar.",
    "Да, делай.",
    "Ок, продолжай, спасибо.",
    "Всё верно, закоммить и запушь.",
    "Iya, lanjutkan saja.",
    "Oke, lanjut dulu.",
    "Mantap, commit dan push.",
    "はい、お願いします。",
    "了解です、続けてください。",
    "コミットしてプッシュして。",
    "응 좋아, 계속 진행해줘.",
    "네, 커밋하고 푸시해줘.",
    "ㅇㅋ ㄱㄱ",
    "好的，继续。",
    "好，请繼續吧。",
)

#: Sentences of a user that say no rule, choice or wish.
PLAIN = (
    "Casi nunca veo esa página del muelle.",
    "Debe ser por la caché del muelle.",
    "Siempre falla la misma prueba del muelle.",
    "Quase nunca vejo essa página do cais.",
    "Deve ser por causa do cache do cais.",
    "Sempre falha o mesmo teste do cais.",
    "Je n'ai jamais vu cette page du quai.",
    "Ça ne marche toujours pas sur le quai.",
    "Ça doit être le cache du quai.",
    "Ich habe nie so eine Seite der Rampe gesehen.",
    "Es kommt immer noch der gleiche Fehler an der Rampe.",
    "Das muss am Cache der Rampe liegen.",
    "Ik heb nooit zo'n pagina van de kade gezien.",
    "De kade geeft nog steeds dezelfde fout.",
    "Het moet aan de cache van de kade liggen.",
    "Я никогда не видел такой страницы причала.",
    "Причал всегда падает с одной и той же ошибкой.",
    "Должно быть, упал сервер причала.",
    "Надо было раньше смотреть на причал.",
    "Только что отвалился кран на причале.",
    "У крана больше не нужно менять трос вручную.",
    "Selalu muncul error yang sama di dermaga.",
    "Apakah harus ada satu antrean lagi di dermaga?",
    "これは必須ですか？",
    "いつもエラーになる画面です。",
    "항상 에러가 나와서 화면이 안 보여.",
    "절대 경로가 화면에 보인다.",
)

#: What the agent says before it does something, ticks off or asks.
WORKING = (
    "Voy a revisar `crane.py`, no está claro.",
    "Ahora actualiza `crane.py` y la prueba.",
    "Vou verificar `crane.py`, não está claro.",
    "Je vais vérifier `crane.py`, ce n'est pas clair.",
    "Ich werde `crane.py` prüfen, das ist nicht klar.",
    "Ik ga `crane.py` controleren, dat is niet duidelijk.",
    "Сейчас проверю `crane.py`, пока это не ясно.",
    "Теперь обнови `crane.py` и тест.",
    "Saya akan cek `crane.py`, itu belum jelas.",
    "まず `crane.py` を確認します、まだ見ていません。",
    "이제 `crane.py` 를 확인하겠습니다, 아직 보지 않았습니다.",
    "接下来我检查 `crane.py`，还没有看。",
    "✅ `crane.py` wurde geändert und ist nicht mehr kaputt.",
    "✅ `crane.py` изменён и больше не падает.",
)

#: English, in which words of other languages stand.
ENGLISH = (
    "The die process in src/des/main.c runs on port 5433, never on 5434.",
    "Import os, then con = connect(para, del, una) as the docs say.",
    "No reindex during the day, and mind the El Paso berth.",
    "It's a breaking change of the locale de and la.",
    "Only Anna may approve releases of the sim.",
    "Van de Berg is in the op team, and we want the door over there open.",
    "The map is bent in the zip, so we test the top of it.",
    "Rename the label Отмена to Закрыть in the form of the crane.",
    "Never show the Отмена button at night.",
)


def every_rule(name: str) -> list[str]:
    return [rule["id"] for rule in read_rules(name)["rules"]]


def test_every_rule_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(rule for name in OTHERS for rule in every_rule(name))


@pytest.mark.parametrize("rule", sorted(EXAMPLES))
def test_a_rule_finds_its_example(rule: str) -> None:
    text = EXAMPLES[rule]
    found = said(text, "assistant" if ".agent-" in rule else "user")
    one = next(one for one in found if one.rule == rule)
    assert text[slice(*one.span)] == one.text
    assert one.span[0] <= one.cue[0] < one.cue[1] <= one.span[1]


@pytest.mark.parametrize("rule", sorted(rule for rule in EXAMPLES if ".agent-" not in rule))
def test_the_agent_lays_down_no_rules_of_a_user(rule: str) -> None:
    assert not any(one.rule == rule for one in said(EXAMPLES[rule], "assistant"))


@pytest.mark.parametrize("text", GO_AHEADS)
def test_what_only_nods_says_nothing(text: str) -> None:
    assert said(text) == ()


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_like_a_rule_is_none(text: str) -> None:
    assert [one.rule for one in said(text) if one.strength > 5] == []


@pytest.mark.parametrize("text", WORKING)
def test_what_the_agent_announces_or_ticks_off_is_none(text: str) -> None:
    assert said(text, "assistant") == ()


@pytest.mark.parametrize("text", ENGLISH)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_no_other_language_counts_in_english(text: str, role: str) -> None:
    assert rules_of(text, RULES) is RULES
    assert all(one.rule.startswith(("en.", "value.")) for one in said(text, role))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("No toques el puerto 5433", "es"),
        ("No arquivo `crane.py` não tem mais nada.", "pt"),
        ("C'est pour ça que la grue est dans le plan.", "fr"),
        ("Die Datei ist schon da.", "de"),
        ("Zet de lamp op de kade aan.", "nl"),
        ("De kraan en de lamp staan uit, want we hebben geen stroom.", "nl"),
        ("Kun je even kijken of de map in de haven klopt?", "nl"),
        ("Kun je de tests nu draaien?", "nl"),
        ("Wil je me de log geven?", "nl"),
        ("Werkt nog niet.", "nl"),
        ("Tabel faktur", "id"),
        ("Der Bestand im Lager ist leer, wie die Regel sagt.", "de"),
        ("Je t'ai dit pas de grue en bois.", "fr"),
        ("Ja, alles gut, wie der Kran.", "de"),
        ("Was ist in der Tabelle, und wie werden die Lampen alle an?", "de"),
        ("Сделай commit и push", "ru"),
        ("Задеплой backend на staging server через docker compose", "ru"),
        ("добавь query param page size limit в API endpoint GET crane list", "ru"),
        ("Поправь src/crane.py и tests/test_crane.py", "ru"),
        ("把 Отмена 改成 Закрыть", "en"),
        ("Hilangkan diskon manual dari kasir.", "id"),
        ("岸壁の表を更新して", "ja"),
        ("부두 표를 고쳐줘", "ko"),
        ("更新码头的表", "en"),
        ("Die, then restart.", "en"),
    ],
)
def test_a_text_is_in_a_language_by_its_small_words_or_its_script(text: str, language: str) -> None:
    assert rules_of(text, RULES).languages[0].name == language


def test_each_sentence_of_a_mixed_message_is_read_in_its_language() -> None:
    mixed = "Never push to main. Los nombres de las tablas van siempre en plural. 표 이름은 항상 복수형이다."
    assert [one.rule for one in said(mixed)] == ["en.never", "es.always", "ko.always"]
    # What small words do not tell is of the language that most of the message is in.
    short = "Revisa los nombres de las tablas, por favor. Tabla uno: nunca vacía."
    assert [one.rule for one in said(short)] == ["es.errand", "es.never"]
    both = "Не трогай vendor/. Never push to main! И ещё: никаких смайликов в логе крана"
    assert [one.rule for one in said(both)] == ["ru.do-not", "en.never", "ru.do-not"]
    mostly = "Never push to main, and keep the old name of the crane for now. Не трогай vendor/ на причале."
    assert [one.rule for one in said(mostly)] == ["en.never", "ru.do-not"]


def test_sentences_of_cyrillic_letters_are_told_apart() -> None:
    for text in (
        "Не трогай vendor/. Выкладка только после проверки, т.е. Redis подождёт. «Кран» всегда слева.",
        "не трогай vendor/. выкладка только после проверки, т.е. Redis подождёт. кран всегда слева.",
    ):
        assert [one.rule for one in said(text)] == ["ru.do-not", "ru.only", "ru.always"]
    (shouted,) = said("Не удаляй таблицу лодок. БЕЗ ИСКЛЮЧЕНИЙ")
    assert shouted.rule == "ru.hard-rule"
    # No name of a section, though its words begin with capitals.
    assert [one.rule for one in said("Не меняй Docker Compose")] == ["ru.do-not"]


def test_letters_that_are_written_in_two_ways_are_one() -> None:
    assert [one.rule for one in said("Мы перешли на ещё один причал, решено твёрдо.")] == ["ru.decided"]
    assert [one.rule for one in said("Жёсткое правило: лодки у причала стоят ночью.")] == ["ru.hard-rule"]
    assert [*RULES.stemmer.words("счёт")] == [*RULES.stemmer.words("счета")]


@pytest.mark.parametrize(
    "words",
    [
        "документация документации документацию документаций",
        "проверь проверить проверьте проверяй проверять",
        "тест тесты тестов тестами",
        "удали удалять удаление удалений",
        "добавь добавить добавление добавлена",
        "использовать используйте использование",
        "список списка списков",
        "кнопка кнопку кнопок",
        "режим режима",
        "система систем",
        "новый новая новых",
    ],
)
def test_inflected_words_share_a_stem(words: str) -> None:
    assert len(set(RULES.of("ru").stemmer.words(words))) == 1


def test_the_end_of_a_unit_or_month_is_the_end_of_a_word() -> None:
    text = "За 5 мин придут 3 маяка, 5 минимальных лодок и 3 разных крана; сдача 3-го мая 2026 года."
    found = [(value.canon, value.unit) for value in values_of(text, RULES)]
    assert found == [("5", "min"), ("3", ""), ("5", ""), ("3", ""), ("2026-05-03", "")]
    assert gives("лимит: 512 мегабайт", "512", "MB", RULES)
    # The minutes are no part of another word.
    assert not gives("45: минимальный срок", "45", "min", RULES)


def test_no_sentence_is_looked_at_twice_where_no_other_language_is(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"The crane number {number} never moves by night." for number in range(20))
    asked = calls_of(monkeypatch, OtherLanguages, "by_words")
    assert len(facts_of(text, "user", RULES).statements) == 20
    assert asked == []
    facts_of(text + " Los muelles van siempre en plural.", "user", RULES)
    assert len(asked) == 22


def test_a_file_is_read_when_a_text_is_in_its_language(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = read_rules

    def noted(name: str) -> object:
        read.append(name)
        return real(name)

    monkeypatch.setattr("inspector.config.fact_rules.read_rules", noted)
    load_rules.cache_clear()
    try:
        rules = load_rules()
        assert read == ["any", "en", "zh"]
        facts_of("Never push to main, please.", "user", rules)
        assert read == ["any", "en", "zh"]
        facts_of("Den Ordner der Rechnungen bitte nicht anfassen.", "user", rules)
        facts_of("Die Rechnungen bitte nicht löschen.", "user", rules)
        assert read[3:] == ["de"]
    finally:
        load_rules.cache_clear()


@pytest.mark.parametrize("name", ["hermes-0.13-rotating", "hermes-0.19-in-place"])
def test_english_and_chinese_conversations_say_the_same_without_other_languages(
    name: str, fixtures_dir: Path
) -> None:
    others = RULES.others
    assert others is not None
    alone = replace(RULES, others=replace(others, names=(), words={}, any_script=re.compile("(?!)")))
    store = open_store(fixtures_dir / f"{name}.db")
    messages = [
        message
        for row in store.conversations()
        for generation in Inspection.open(store, row.id).conversation.generations
        for message in store.iterate(generation)
    ]
    store.close()
    assert len(messages) > 100
    for message in messages:
        assert extract(message, RULES) == extract(message, alone)


def test_small_words_are_no_english_ones() -> None:
    other = {word for name in OTHERS for word in read_rules("any")["known"][name].get("words", ())}
    assert other.isdisjoint(RULES.stemmer.stop)
    assert not [word for word in other if word != word.lower()]


@pytest.mark.parametrize(
    ("text", "summary", "outcome"),
    [
        ("No toques la carpeta vendor/ del muelle.", "- carpeta vendor/ del muelle", "weakened"),
        ("No toques la carpeta vendor/ del muelle.", "- No tocar vendor/ del muelle, carpeta", "paraphrased"),
        ("Não mexa na pasta vendor/ do cais norte.", "- pasta vendor/ do cais norte", "weakened"),
        ("Ne touche pas au dossier vendor/ du quai.", "- dossier vendor/ du quai, sans toucher", "paraphrased"),
        ("Den Ordner vendor/ der Rampe Nord nicht anfassen.", "- Ordner vendor/ der Rampe Nord", "weakened"),
        ("Pas de map vendor/ van de kade Noord niet aan.", "- map vendor/ van kade Noord", "weakened"),
        ("De tijdslimiet van de kraan is hoogstens 30 seconden.", "- tijdslimiet kraan: 30000 ms", "paraphrased"),
        ("De oplevering van de kraan is op 3 maart 2026 in hal 4.", "- oplevering kraan 2026-03-03", "paraphrased"),
        ("Не трогай папку vendor/ на северном причале.", "- папка vendor/ северного причала", "weakened"),
        ("Не трогай папку vendor/ на причале.", "- папку vendor/ причала не трогать", "paraphrased"),
        ("Таймаут крана не больше 30 секунд.", "- таймаут крана: 30000 мс", "paraphrased"),
        ("Сдача крана 3 марта 2026 года в цехе 4.", "- сдача крана 2026-03-03", "paraphrased"),
        ("Аренда крана не дороже 5000 рублей, это максимум.", "- аренда крана: 5000 ₽", "paraphrased"),
        ("Всегда проверяй таблицу приливов до пуска крана.", "- проверка таблиц прилива до пуска", "paraphrased"),
        ("Jangan ubah folder vendor/ di dermaga utara.", "- folder vendor/ di dermaga utara diubah", "weakened"),
        ("El plazo de la grúa es de 30 segundos como máximo.", "- plazo de la grúa: 30 s", "paraphrased"),
        ("Das Zeitlimit für den Kran ist höchstens 30 Sekunden.", "- Zeitlimit Kran: 30000 ms", "paraphrased"),
        ("Entrega de la grúa el 3 de mayo de 2026, sin falta.", "- entrega de la grúa: 2026-05-03", "paraphrased"),
        ("Die Abnahme vom Kran ist am 3. März 2026 in Halle 4, bitte.", "- Abnahme Kran 2026-03-03", "paraphrased"),
    ],
)  # fmt: skip
def test_fates_know_denials_units_and_dates(text: str, summary: str, outcome: str) -> None:
    assert fate(fact(text), searchable(summary), 1).outcome == outcome


def test_an_answer_is_a_choice_in_any_language() -> None:
    for answer, question in (
        ("Oui, vas-y.", "Dois-je garder l'ancien alias du quai nord ?"),
        ("Sí, por favor.", "¿Mantengo el alias antiguo del muelle norte?"),
        ("Ja, graag.", "Moet ik de oude alias van de kade bewaren?"),
        ("Да, давай.", "Оставить старый псевдоним причала?"),
        ("はい、お願いします。", "岸壁の古い別名を残しますか？"),
    ):
        (found,) = agreed(answer, question, RULES)
        assert found.rule == "any.answer"


def test_typographic_apostrophes_are_read_as_plain_ones() -> None:
    (found,) = said("N’oublie pas d’ignorer les grues du quai.")
    assert (found.rule, found.text) == ("fr.do-not", "N’oublie pas d’ignorer les grues du quai.")


def test_a_language_alone_is_a_safe_text_too() -> None:
    for text in ("¡Nunca!", "¿", "의", "の", "ы", "ß", "不", "não"):
        facts_of(safe(text), "user", RULES)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("revisa las tablas de mareas del puerto otra vez", "es.errand"),
        ("por favor, verifica as tabelas de marés do porto", "pt.errand"),
        ("vérifie les tables des marées du port avec celles de la gare", "fr.errand"),
        ("Bitte prüfe die Gezeitentafeln vom Hafen noch einmal", "de.errand"),
        ("controleer de getijdentabellen van de haven nog een keer", "nl.errand"),
        ("проверь таблицы приливов в порту ещё раз", "ru.errand"),
        ("Добавь страницу для конторы порта с приливами", "ru.request"),
        ("Надо добавить поле с номером лодки", "ru.request"),
        ("tolong cek tabel pasang surut di pelabuhan itu lagi", "id.errand"),
        ("港の潮汐表をもう一度確認してください。", "ja.errand"),
        ("항구의 조석표를 다시 한번 확인해 주세요.", "ko.errand"),
        ("请帮我看一下港口的潮汐表有没有问题", "zh.errand"),
        ("añade una página para la oficina del puerto con las mareas", "es.request"),
    ],
)
def test_what_is_asked_for_and_done_is_an_errand(text: str, rule: str) -> None:
    assert [one.rule for one in said(text)] == [rule]


@pytest.mark.parametrize(
    ("text", "summary", "outcome"),
    [
        (
            "不要让客人自己打开储物柜。",
            "The clerk opens every locker himself; the guests wait at the desk for it.",
            "uncertain",
        ),
        ("不要让客人自己打开储物柜。", "前台的工作今天已经完成，客人都很满意。", "lost"),
        (
            "Die Gäste dürfen die Schränke nie selbst öffnen.",
            "The clerk is to open all of the doors for them.",
            "uncertain",
        ),
        (
            "Die Gäste dürfen die Schränke nie selbst öffnen.",
            "Der Zug ist heute nicht mehr pünktlich gewesen.",
            "lost",
        ),
        (
            "The guests never open the lockers on their own.",
            "The train was late again, and it is not known why.",
            "lost",
        ),
        (
            "손님이 직접 사물함을 열지 못하게 해 주세요.",
            "오늘 기차는 늦게 도착했고 모두 기다렸습니다.",
            "lost",
        ),
        (
            "お客様に自分でロッカーを開けさせないでください。",
            "今日の電車は遅れましたが、みんな待っていました。",
            "lost",
        ),
        (
            "손님이 직접 사물함을 열지 못하게 해 주세요.",
            "The clerk opens every locker himself; the guests wait at the desk for it.",
            "uncertain",
        ),
        (
            "Гости никогда сами не открывают шкафчики.",
            "- Гостям нельзя самим открывать шкафчики",
            "paraphrased",
        ),
        ("Гости никогда сами не открывают шкафчики.", "Поезд сегодня опять опоздал, все ждали.", "lost"),
        (
            "Гости никогда сами не открывают шкафчики.",
            "The clerk opens every locker himself; the guests wait at the desk for it.",
            "uncertain",
        ),
        (
            "The guests never open the lockers on their own.",
            "Поезд сегодня опять опоздал, и никто не знает почему.",
            "uncertain",
        ),
        # What both write in Latin letters tells it where all of it stands in one sentence.
        (
            "案内はTypstで書いて、Lighthouseの色を使うこと。",
            "- The guide is written with Typst in the colours of the lighthouse.",
            "paraphrased",
        ),
        (
            "案内はTypstで書いて、Lighthouseの色を使うこと。",
            "- The guide is written with Typst.\n- The lighthouse was opened, and its clerk is still there.",
            "uncertain",
        ),
        (
            "案内はTypstで書いて、短くすること。",
            "今日の電車は遅れました。Typstは別の駅で使われています。",
            "lost",
        ),
        # Of a value that stands there only the words around it tell whose it is.
        ("索引を約160KB小さくすること。", "- The size of the index shrinks by ~160KB in all.", "uncertain"),
        ("Make the index 160 KB smaller.", "- The ferry is 160 KB behind the others.", "lost"),
        # What is exact would stand there in any language.
        (
            "不要改动 `lockers.toml` 里的端口 5433。",
            "The clerk opens every door himself, and the guests wait for him.",
            "lost",
        ),
    ],
)
def test_what_a_summary_of_another_language_may_say_is_uncertain(
    text: str, summary: str, outcome: str
) -> None:
    assert fate(fact(text), searchable(summary), 1).outcome == outcome


RUN_ONS = {
    "de": [
        "also der Kran am Hafen fährt jetzt in der Nacht und dann müssen wir die Boote im Hafen noch einmal zählen",
        "ich denke der Kai kann noch etwas länger warten",
        "wenn das Büro zu ist nehmen wir einfach den anderen Kai",
    ],
    "es": [
        "bueno la grúa del puerto se mueve ahora también de noche",
        "tenemos que contar otra vez todos los barcos del puerto",
        "yo creo que el muelle puede esperar un poco más",
        "si la oficina está cerrada usamos el otro muelle",
    ],
    "fr": [
        "bon la grue du port tourne maintenant aussi la nuit",
        "il faut compter encore une fois tous les bateaux du port",
        "je pense que le quai peut attendre encore un peu",
        "si le bureau est fermé on prend simplement l'autre quai",
    ],
    "nl": [
        "nou de kraan in de haven draait nu ook in de nacht",
        "we moeten alle boten van de haven nog een keer tellen",
        "ik denk dat de kade nog wel even kan wachten",
        "als het kantoor dicht is nemen we gewoon de andere kade",
    ],
    "pt": [
        "bom o guindaste do porto agora também se move de noite",
        "temos que contar outra vez todos os barcos do porto",
        "eu acho que o cais pode esperar mais um pouco",
        "se o escritório não abrir usamos simplesmente o outro cais",
    ],
}
JOINED = {"de": "und", "es": "y", "fr": "et", "nl": "en", "pt": "e"}


@pytest.mark.parametrize("language", RUN_ONS)
def test_what_runs_on_is_parted_in_its_language(language: str) -> None:
    parts = RUN_ONS[language]
    text = f", {JOINED[language]} ".join(parts)
    assert [one.text for one in facts_of(text, "user", RULES).statements] == parts
