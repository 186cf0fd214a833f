from tests.app.running import *
from inspector.app.conversation.resources import HITS
async def test_x(rotating):
    async with running(rotating, CHECKOUT) as pilot:
        s=conversation(pilot)
        await press(pilot,"home","slash",*"REFUND","enter")
        print(s.state.find, s.loaded.current(HITS,s.state))
        await press(pilot,"[")
        print(s.state.find, s.state.generation, s.focused, s.loaded.current(HITS,s.state))
        await press(pilot,"n")
        print(s.state.find, s.state.generation, s.focused, s.loaded.current(HITS,s.state), s.jobs.busy(), told(pilot), notes(pilot))
        assert 0
