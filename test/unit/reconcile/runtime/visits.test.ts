import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { VisitMember } from '../../../../lib/platform/ports/visits.ts'
import { dueWithin } from '../../../../lib/reconcile/runtime/visits.ts'
import { wakeMembers } from '../../../../lib/reconcile/runtime/wake-members.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap } from '../kustomization/scene.ts'
import { atRest, dueOf, membersOf, minute, visit } from './visit-scene.ts'

test('units of one cluster become members of a visit, once an interval, without due times of their own', () =>
  atRest(async scene => {
    const { visited, passes, advance } = scene
    assert.deepEqual(await membersOf(scene), ['a', 'b', 'c'])
    for (const name of ['a', 'b', 'c']) assert.equal(await dueOf(scene, name), undefined)
    visited.splice(0)
    const before = passes.length
    await advance(30 * minute)
    const sizes = visited.map(({ unchanged }) => unchanged.length)
    assert.ok(sizes.length >= 2 && sizes.length <= 3, `${sizes}`)
    assert.ok(
      sizes.every(size => size === 3),
      `${sizes}`,
    )
    assert.equal(passes.length, before, 'nothing needed a pass')
  }))

test('a visit writes nothing but its own record: not to the hub, not to the cluster', () =>
  atRest(async ({ changes, advance, visited, platform }) => {
    const before = changes.length
    const { version } = (await platform.visits.read(visit))!
    visited.splice(0)
    await advance(11 * minute)
    assert.equal(visited.length, 1)
    assert.equal(changes.length, before)
    assert.notEqual((await platform.visits.read(visit))!.version, version)
  }))

test('what differs gets a pass of its own, at once, and the others stay together', () =>
  atRest(async scene => {
    const { hub, passes, advance, values } = scene
    await hub.delete({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'b' }, {})
    const before = passes.length
    await advance(11 * minute)
    assert.deepEqual(
      passes.slice(before).map(({ ref }) => ref.name),
      ['b'],
    )
    assert.deepEqual(await values(), { a: '1', b: '1', c: '1' })
    assert.deepEqual(await membersOf(scene), ['a', 'c'])
    assert.notEqual(await dueOf(scene, 'b'), undefined)
    await advance(22 * minute)
    assert.deepEqual(await membersOf(scene), ['a', 'b', 'c'])
    assert.equal(await dueOf(scene, 'b'), undefined)
  }))

test('a request, a new spec and a new revision do not wait for the visit', () =>
  atRest(async scene => {
    const { hub, passes, settle, push, values } = scene
    const since = (before: number) => passes.slice(before).map(({ ref }) => ref.name)
    let before = passes.length
    const requested = { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }
    await hub.patch(kustomizationRef('a'), { type: 'merge', patch: requested }, author)
    await settle()
    assert.deepEqual(since(before), ['a'])
    before = passes.length
    await hub.patch(kustomizationRef('b'), { type: 'merge', patch: { spec: { force: true } } }, author)
    await settle()
    assert.deepEqual(since(before), ['b'])
    before = passes.length
    await push('2', {
      'a/x.yaml': configMap('a', '2'),
      'b/x.yaml': configMap('b', '1'),
      'c/x.yaml': configMap('c', '1'),
    })
    assert.deepEqual(since(before).sort(), ['a', 'b', 'c'])
    assert.deepEqual(await values(), { a: '2', b: '1', c: '1' })
  }))

const pushOf = (revision: string) => ({
  'a/x.yaml': configMap('a', revision),
  'b/x.yaml': configMap('b', '1'),
  'c/x.yaml': configMap('c', '1'),
})

test('a push leaves members with their visit, without a due time of their own at any moment', () =>
  atRest(async scene => {
    const { push, passes, values, advance, visited, platform } = scene
    const moved: string[] = []
    const { setDue, claim } = platform.schedule
    platform.schedule.setDue = async (ref, ...rest) => {
      if (ref.kind === 'Kustomization') moved.push(ref.name)
      return setDue(ref, ...rest)
    }
    platform.schedule.claim = async (ref, ...rest) => {
      if (ref.kind === 'Kustomization') moved.push(ref.name)
      return claim(ref, ...rest)
    }
    const before = passes.length
    await push('2', pushOf('2'))
    const names = passes.slice(before).flatMap(({ ref }) => (ref.kind === 'Kustomization' ? [ref.name] : []))
    assert.deepEqual(names.sort(), ['a', 'b', 'c'])
    assert.deepEqual(await values(), { a: '2', b: '1', c: '1' })
    assert.deepEqual(await membersOf(scene), ['a', 'b', 'c'])
    for (const name of ['a', 'b', 'c']) assert.equal(await dueOf(scene, name), undefined)
    visited.splice(0)
    await advance(4 * minute)
    assert.deepEqual(
      visited.map(({ unchanged }) => unchanged.length),
      [3],
      'the visit makes sure, once',
    )
    assert.deepEqual(moved, [])
  }))

test('when the messages of a push get lost, the visit finds what is new within minutes', () =>
  atRest(async scene => {
    const { push, waiting, values, advance, loop } = scene
    const { queue } = scene.ports
    const { send } = queue
    queue.send = async messages => send(messages.filter(({ visited }) => !visited))
    await push('2', pushOf('2'))
    queue.send = send
    assert.equal(waiting.filter(({ message }) => message.visited).length, 0)
    assert.deepEqual(await values(), { a: '1', b: '1', c: '1' })
    await loop.tick()
    await advance(4 * minute)
    assert.deepEqual(await values(), { a: '2', b: '1', c: '1' })
  }))

test('news that come while a visit is under way are not overwritten by what it has found before', () =>
  atRest(async scene => {
    const { platform, clock, loop } = scene
    const { read, write } = platform.visits
    const before = (await platform.visits.read(visit))!
    await clock.advance(before.due! - clock.now())
    let isFirst = true
    platform.visits.write = async (...args) => {
      platform.visits.write = write
      if (isFirst) await wakeMembers(scene.ports, visit, [kustomizationRef('a')])
      isFirst = false
      return write(...args)
    }
    await loop.handle({ stage: 'apply', ref: visit, group: visit.name })
    const { members, due } = (await read(visit))!
    const dueOfMember = (name: string) => members.find(({ ref }) => ref.name === name)!.due
    assert.ok(dueOfMember('a') <= clock.now(), 'still to be looked at')
    assert.ok(dueOfMember('b') > clock.now() + 5 * minute)
    assert.ok(due! <= clock.now())
  }))

test('one that fails after a push has a due time of its own again, and so has one that had it before the news', () =>
  atRest(async scene => {
    const { push, platform, clock } = scene
    const own = clock.now() + minute
    await platform.schedule.setDue(kustomizationRef('b'), own)
    await push('2', { 'a/x.yaml': 'kind: [', 'b/x.yaml': configMap('b', '2'), 'c/x.yaml': configMap('c', '1') })
    assert.ok((await dueOf(scene, 'a'))! > clock.now())
    assert.ok((await dueOf(scene, 'b'))! > own)
    assert.equal(await dueOf(scene, 'c'), undefined)
  }))

test('who is suspended or deleted is visited no more; who is resumed has a pass, and comes back', () =>
  atRest(async scene => {
    const { hub, advance, settle, visited } = scene
    const suspend = (value: boolean) =>
      hub.patch(kustomizationRef('a'), { type: 'merge', patch: { spec: { suspend: value } } }, author)
    await suspend(true)
    await hub.delete(kustomizationRef('b'), {})
    await settle()
    await advance(11 * minute)
    assert.deepEqual(await membersOf(scene), ['c'])
    visited.splice(0)
    await advance(11 * minute)
    assert.deepEqual(
      visited.map(({ unchanged }) => unchanged.length),
      [1],
    )
    await suspend(false)
    await settle()
    await advance(33 * minute)
    assert.deepEqual(await membersOf(scene), ['a', 'c'])
  }))

test('members that come due soon come along, until all are in step; a long interval is not shortened to a short one', () => {
  const member = (name: string, due: number, every = 10 * minute): VisitMember => ({
    ref: kustomizationRef(name),
    due,
    every,
  })
  const names = (members: readonly VisitMember[]) => members.map(({ ref }) => ref.name)
  const now = 100 * minute
  assert.deepEqual(names(dueWithin([member('a', now + 1), member('b', now + 4 * minute)], now)), [])
  assert.deepEqual(
    names(dueWithin([member('a', now), member('b', now + 4 * minute), member('c', now + 6 * minute)], now)),
    ['a', 'b'],
  )
  const hourly = member('hourly', now + 20 * minute, 60 * minute)
  assert.deepEqual(names(dueWithin([member('a', now), hourly], now)), ['a'])
  assert.deepEqual(names(dueWithin([member('far', now + 30 * minute)], now)), ['far'], 'by a clock that was ahead')
})
