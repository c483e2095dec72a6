import time, anyio, pytest
from handgriff import *
from handgriff.testing.harness import harness
from handgriff.testing.loopback.script import *
pytestmark = pytest.mark.anyio
D="Use when: tested. Not for: else. Needs: nothing. Effect: none."
ADA=Caller("acme","ada")
@pytest.mark.parametrize("n",range(5))
async def test_a(n, tmp_path):
    box=Toolbox("b")
    @box.tool(effect="read",description=D)
    async def look()->Result[None]:
        return Result("x")
    async with harness(Assistant("a",instructions="x",toolboxes=[box]),ADA,script=[ToolUse("look",{}),"ok"], store=f"sqlite:///{tmp_path}/a.db") as c:
        t=await c.say("hi")
        assert t.text=="ok"
async def test_limit():
    from handgriff.tool import CallLimits
    box=Toolbox("b"); ran=[]
    @box.tool(effect="read",description=D,limits=CallLimits(calls=1))
    async def look(n:int)->Result[None]:
        ran.append(n)
        return Result("x")
    async with harness(Assistant("a",instructions="x",toolboxes=[box]),ADA,script=[ToolUse("look",{"n":1}),ToolUse("look",{"n":2}),"ok"]) as c:
        t=await c.say("hi")
        assert ran==[1]
async def test_stop_slow_read():
    box=Toolbox("b"); 
    @box.tool(effect="read",description=D)
    async def look()->Result[None]:
        await anyio.sleep(5)
        return Result("x")
    async with harness(Assistant("a",instructions="x",toolboxes=[box]),ADA,script=[ToolUse("look",{}),"ok"]) as c:
        from handgriff.core.events import AssistantMessage
        t0=time.monotonic()
        async for i in c.host.turn(ADA,c.session.id,"hi"):
            if isinstance(i.body,AssistantMessage): await c.host.stop(ADA,c.session.id)
        assert time.monotonic()-t0<2
async def test_stray_cancel():
    import asyncio
    box=Toolbox("b"); 
    @box.tool(effect="read",description=D)
    async def look()->Result[None]:
        raise asyncio.CancelledError
    async with harness(Assistant("a",instructions="x",toolboxes=[box]),ADA,script=[ToolUse("look",{}),"ok"]) as c:
        t=await c.say("hi")
        print([type(e.body).__name__ for e in t.events])
        assert t.ended
async def test_callers_raise():
    box=Toolbox("b"); 
    @box.tool(effect="read",description=D)
    async def look()->Result[None]:
        return Result("x")
    n=0
    async def callers(t,u):
        nonlocal n; n+=1
        if n>1: raise RuntimeError("db")
        return ADA
    async with harness(Assistant("a",instructions="x",toolboxes=[box]),ADA,script=[ToolUse("look",{}),"ok"],callers=callers) as c:
        t=await c.say("hi")
        print([type(e.body).__name__ for e in t.events])
        assert t.ended
