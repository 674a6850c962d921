/** Which passes leave a Run, and what it says of why and how. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeAction } from '../../../../lib/clusters/apply/change-set.ts'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { Kustomization } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { Outcome } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, kustomization } from './loop-scene.ts'
import { brief, create, done, failed, noteChange, verified, within } from './run-scene.ts'

test('a pass that changes something leaves a Run, one that finds nothing to do leaves none', () =>
  within(async (world, follow) => {
    follow(pass => {
      pass.note({ revision: 'main@sha1:a' })
      noteChange(pass, 'created')
      return done
    })
    await create(world)
    follow(pass => {
      pass.note({ revision: 'main@sha1:a', previousRevision: 'main@sha1:a' })
      noteChange(pass, 'unchanged')
      return done
    })
    await world.advance(3 * 600_000)
    assert.deepEqual(brief(await world.runs()), ['Spec Succeeded 1 created'])
    follow(pass => {
      pass.note({ revision: 'main@sha1:a', previousRevision: 'main@sha1:a' })
      noteChange(pass, 'configured')
      return done
    })
    await world.advance(600_000)
    follow(pass => {
      pass.note({ revision: 'main@sha1:b', previousRevision: 'main@sha1:a' })
      noteChange(pass, 'configured')
      return done
    })
    await world.advance(600_000)
    const runs = await world.runs()
    assert.deepEqual(brief(runs).slice(1), ['Drift Succeeded 1 configured', 'Source Succeeded 1 configured'])
    assert.deepEqual([runs[2]?.previousRevision, runs[2]?.revision], ['main@sha1:a', 'main@sha1:b'])
  }))

test('a requested pass is recorded as a Run with the name of the requester, even if it changes nothing', () =>
  within(async world => {
    await create(world)
    const annotations = { [requestedAtAnnotation]: '2026-11-27T14:02:00Z' }
    const patch = { metadata: { annotations } }
    await world.hub.patch(kustomizationRef('app'), { type: 'merge', patch }, { ...author, user: 'jane' })
    await world.settle()
    const [run, ...others] = await world.runs()
    assert.deepEqual(others, [])
    assert.deepEqual(run?.cause, { type: 'Request', user: 'jane', requestedAt: '2026-11-27T14:02:00Z' })
    assert.deepEqual([run?.result, run?.changes], ['Succeeded', undefined])
  }))

test('a Run names who changed the unit, who wrote the new revision, and the RolloutRun that gave it', () =>
  within(async (world, follow) => {
    const source = (revision: string, previousRevision?: string) =>
      follow(pass => {
        pass.note({
          revision,
          previousRevision,
          pushedBy: 'Receiver default/hook for mona',
          author: 'Mona <m@example.com>',
        })
        noteChange(pass, 'configured')
        return done
      })
    source('main@sha1:a')
    await world.hub.create(kustomization('app', 'source'), { ...author, user: 'jane' })
    await world.settle()
    source('main@sha1:b', 'main@sha1:a')
    await world.advance(600_000)
    const change = { type: 'merge', patch: { spec: { path: './other' } } } as const
    await world.hub.patch(kustomizationRef('app'), change, { ...author, user: 'omar' })
    await world.settle()
    source('main@sha1:c', 'main@sha1:b')
    const pin = { metadata: { annotations: { 'keelson.dev/pin': 'apps/web-7@2026-01-01T00:00:00.000Z' } } }
    await world.hub.patch(kustomizationRef('app'), { type: 'merge', patch: pin }, author)
    await world.settle()
    assert.deepEqual(
      (await world.runs()).map(({ cause }) => cause),
      [
        { type: 'Spec', user: 'jane' },
        { type: 'Source', user: 'Receiver default/hook for mona', author: 'Mona <m@example.com>' },
        { type: 'Spec', user: 'omar' },
        { type: 'Rollout', user: 'RolloutRun apps/web-7' },
      ],
    )
  }))

test('a Run says whether its unit had failed before, or had waited for a dependency', () =>
  within(async (world, follow) => {
    const succeed = () =>
      follow(pass => {
        pass.note({ revision: 'main@sha1:a', previousRevision: 'main@sha1:a' })
        noteChange(pass, 'configured')
        return done
      })
    const wait = {
      ...failed("dependency 'default/db' is not ready"),
      reason: 'DependencyNotReady',
      isWait: true,
    } as const
    succeed()
    await create(world)
    for (const outcome of [failed('no such file'), wait]) {
      follow(() => outcome)
      await world.advance(600_000)
      succeed()
      await world.advance(60_000)
    }
    assert.deepEqual(brief(await world.runs()), [
      'Spec Succeeded 1 configured',
      ...['Interval Failed', 'Retry Succeeded 1 configured'],
      'Dependency Succeeded 1 configured',
    ])
  }))

test('a failure that recurs is counted in one Run, another failure has its own', () =>
  within(async (world, follow) => {
    follow(() => failed('no such file after 3.2s (from app/kustomization.yaml:3)'))
    await create(world)
    await world.advance(120_000)
    follow(() => failed('no such file after 5m0s (from app/kustomization.yaml:3)'))
    await world.advance(120_000)
    const [first] = await world.runs()
    assert.deepEqual(brief([first!]), ['Spec Failed x5'])
    assert.deepEqual(first?.errors, [
      {
        file: 'app/kustomization.yaml:3',
        message: 'no such file after 3.2s (from app/kustomization.yaml:3)',
      },
    ])
    assert.ok(Date.parse(first!.lastRepeatedAt!) > Date.parse(first!.finishedAt!))
    follow(() => failed('another file'))
    await world.advance(120_000)
    follow(() => done)
    await world.advance(60_000)
    follow(() => failed('no such file after 5m0s (from app/kustomization.yaml:3)'))
    await world.advance(600_000)
    assert.deepEqual(brief(await world.runs()).slice(1), ['Spec Failed x2', 'Interval Failed'])
  }))

test('a failure that changed something is not counted among those that did not', () =>
  within(async (world, follow) => {
    follow(pass => {
      noteChange(pass, 'configured')
      return failed('one was refused')
    })
    await create(world)
    await world.advance(60_000)
    assert.deepEqual(brief(await world.runs()), ['Spec Failed 1 configured', 'Spec Failed 1 configured'])
  }))

test('what only waits for something else leaves nothing', () =>
  within(async (world, follow) => {
    follow(
      () =>
        ({
          ...failed('no artifact yet'),
          reason: 'ArtifactFailed',
          event: null,
          isWait: true,
        }) as Outcome<Kustomization>,
    )
    await create(world)
    follow(() => ({ type: 'waiting', afterMs: 1000 }))
    await world.advance(120_000)
    assert.deepEqual(await world.runs(), [])
  }))

test('a run that continues in later passes is one Run', () =>
  within(async (world, follow) => {
    let startedAt = 0
    follow(pass => {
      startedAt = pass.startedAt
      pass.note({ phase: 'Apply', revision: 'main@sha1:a' })
      noteChange(pass, 'created')
      pass.note({ phase: 'Health' })
      return { type: 'waiting', afterMs: 5000, leavesRequest: true }
    })
    await create(world)
    assert.deepEqual(brief(await world.runs()), ['Spec Progressing 1 created'])
    let polls = 0
    follow(pass => {
      pass.note({ continues: startedAt, phase: 'Health' })
      return ++polls < 3 ? { type: 'waiting', afterMs: 5000, leavesRequest: true } : { ...failed('not healthy') }
    })
    await world.advance(15_000)
    const [run, ...others] = await world.runs()
    assert.deepEqual(brief([run!]), ['Spec Failed 1 created'])
    assert.deepEqual(others, [])
    assert.deepEqual(
      run?.phases?.map(({ name }) => name),
      ['Apply', 'Health'],
    )
    assert.deepEqual([run?.startedAt, run?.revision], [new Date(startedAt).toISOString(), 'main@sha1:a'])
  }))

test('a pass that has changed something and waits is one Run with the pass that finishes its work; another revision ends it', () =>
  within(async (world, follow) => {
    const work = (revision: string, outcome: Outcome<Kustomization>, action?: ChangeAction): void =>
      follow(async pass => {
        pass.note({ revision })
        await pass.progress('Applying', { ready: 'Progressing' })
        if (action) noteChange(pass, action)
        return outcome
      })
    const waiting: Outcome<Kustomization> = { type: 'waiting', afterMs: 2_000 }
    /** A Run is signed once it is over. */
    const ended = async () => {
      const over = (await world.runs()).map(({ finishedAt }) => finishedAt !== undefined)
      assert.deepEqual(await verified(world), over)
      return over
    }
    work('main@sha1:a', waiting, 'created')
    await create(world)
    assert.deepEqual([brief(await world.runs()), await ended()], [['Spec Progressing 1 created'], [false]])
    work('main@sha1:a', done, 'configured')
    await world.advance(3_000)
    assert.deepEqual([brief(await world.runs()), await ended()], [['Spec Succeeded 1 created 1 configured'], [true]])

    work('main@sha1:b', waiting, 'configured')
    await world.advance(700_000)
    assert.deepEqual(await ended(), [true, false])
    work('main@sha1:c', done, 'configured')
    await world.advance(3_000)
    assert.deepEqual(await ended(), [true, true, true])
  }))

test('a deletion leaves a Run, which outlives its unit', () =>
  within(async world => {
    await create(world)
    await world.hub.delete(kustomizationRef('app'), {})
    await world.settle()
    assert.equal(await world.hub.get(kustomizationRef('app')), undefined)
    assert.deepEqual(brief(await world.runs()), ['Deletion Deleted 1 deleted'])
  }))

test('messages are recorded without the secrets that the pass knows', () =>
  within(async (world, follow) => {
    follow(pass => {
      pass.note({ secrets: () => ['hunter2'] })
      return failed('refused: hunter2')
    })
    await create(world)
    const [run] = await world.runs()
    assert.deepEqual([run?.message, run?.errors?.[0]?.message], ['refused: ***', 'refused: ***'])
  }))

test('a requested pass that is held back is recorded as a Run, and one after an override names its user', () =>
  within(async (world, follow) => {
    const { hub, settle } = world
    follow(() => done)
    await create(world)
    const why = { reason: 'OutsideWindow', message: 'it waits' }
    follow(() => ({ type: 'held', ...why, afterMs: 3_600_000, conditions: { Waiting: { status: 'True', ...why } } }))
    const annotate = async (annotations: object): Promise<void> => {
      const patch = { metadata: { annotations } }
      await hub.patch(kustomizationRef('app'), { type: 'merge', patch }, { ...author, user: 'omar' })
      await settle()
    }
    await annotate({ [requestedAtAnnotation]: '1' })
    assert.deepEqual(brief(await world.runs()), ['Request Waiting'])
    follow(pass => {
      noteChange(pass, 'configured')
      return done
    })
    await annotate({ 'keelson.dev/override-window': '2026-01-02T00:00:00Z the fix of the outage' })
    const runs = await world.runs()
    assert.deepEqual(brief(runs), ['Request Waiting', 'Override Succeeded 1 configured'])
    const { user, reason } = runs.at(-1)!.cause
    assert.deepEqual([user, reason], ['omar', 'the fix of the outage'])
  }))
