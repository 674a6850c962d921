import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kustomizationRef } from '../../hub/store/world.ts'
import { atRest, dueOf, membersOf, minute, visit } from './visit-scene.ts'

test('a visit whose message gets lost comes with a later tick', () =>
  atRest(async ({ platform, loop, clock, waiting, visited, advance }) => {
    const { due } = (await platform.visits.read(visit))!
    await clock.advance(due! - clock.now())
    await loop.tick()
    assert.ok(waiting.some(({ message }) => message.ref.name === visit.name))
    waiting.splice(0)
    visited.splice(0)
    await advance(5 * minute)
    assert.deepEqual(
      visited.map(({ unchanged }) => unchanged.length),
      [3],
    )
  }))

test('a tick writes nothing for a visit, and sends one message until that counts as lost', () =>
  atRest(async ({ platform, loop, clock, waiting }) => {
    const { due } = (await platform.visits.read(visit))!
    await clock.advance(due! - clock.now() - minute / 2)
    platform.schedule.setDue = async ref => assert.fail(`${ref.name} was postponed`)
    const sent: number[] = []
    for (let tick = 0; tick < 6; tick++) {
      await loop.tick()
      sent.push(waiting.splice(0).length)
      await clock.advance(minute)
    }
    assert.deepEqual(sent, [1, 0, 0, 1, 0, 0])
    assert.equal((await platform.visits.read(visit))!.due, due)
  }))

test('a message that comes twice costs no second round', () =>
  atRest(async ({ loop, visited, platform }) => {
    const { due } = (await platform.visits.read(visit))!
    platform.visits.write = async () => assert.fail('nothing has changed')
    visited.splice(0)
    await loop.handle({ stage: 'apply', ref: visit, group: visit.name })
    assert.deepEqual(
      visited.flatMap(({ unchanged }) => unchanged),
      [],
    )
    assert.equal((await platform.visits.read(visit))!.due, due)
  }))

test('of two visits at a time none forgets what the other has found', () =>
  atRest(async scene => {
    const { platform, loop } = scene
    const { members, version } = (await platform.visits.read(visit))!
    // One member is called by itself, as a tick calls it that has found it due, while the others are visited.
    await platform.visits.write(
      visit,
      { members: members.map(each => ({ ...each, due: 0 })).slice(1), due: 0 },
      version,
    )
    const dueAt = scene.clock.now() + 3 * minute
    await platform.schedule.setDue(members[0]!.ref, dueAt)
    const message = { stage: 'apply', ref: visit, group: visit.name } as const
    await Promise.all([loop.handle(message), loop.handle({ ...message, refs: [members[0]!.ref], dueAt })])
    assert.deepEqual(await membersOf(scene), ['a', 'b', 'c'])
    assert.equal(await dueOf(scene, members[0]!.ref.name), undefined)
    const { members: after } = (await platform.visits.read(visit))!
    assert.ok(after.every(({ due }) => due > scene.clock.now()))
  }))

test('a visit leaves those to passes whose last pass ended its process', () =>
  atRest(async ({ platform, loop, passes, visited, settle }) => {
    platform.leases.abandonedOf = async ref => (ref.name === 'b' ? 1 : 0)
    const refs = ['a', 'b'].map(kustomizationRef)
    passes.splice(0)
    visited.splice(0)
    await loop.handle({ stage: 'apply', ref: visit, group: visit.name, refs })
    await settle()
    const unchanged = visited[0]!.unchanged.map(({ ref }) => ref.name)
    assert.deepEqual([unchanged, passes.map(({ ref }) => ref.name)], [['a'], ['b']])
  }))

test('a visit that nobody has ever finished leaves everybody to passes, which are counted', () =>
  atRest(async ({ loop, passes, visited, settle }) => {
    const refs = ['a', 'b', 'c'].map(kustomizationRef)
    passes.splice(0)
    visited.splice(0)
    await loop.handle({ stage: 'apply', ref: visit, group: visit.name, refs, unfinished: true })
    await settle()
    assert.deepEqual(visited[0]!.unchanged, [])
    assert.deepEqual(passes.map(({ ref }) => ref.name).sort(), ['a', 'b', 'c'])
  }))
