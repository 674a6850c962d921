import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { by } from '../store/world.ts'
import { digest, runnerWorld, unitOf } from './runner-world.ts'

const aurora = 'ships/aurora'

test('a unit goes back by itself if its users want that, to where its runner says; a runner neither undoes other units nor ends the undo of a user', async () => {
  const world = await runnerWorld()
  const { caller, sync } = await world.runner(aurora)
  const undo = 'keelson.dev/undo'
  const read = async () => (await world.hub.get<KubernetesObject>(unitOf('ships')))!
  const annotate = (annotations: Readonly<Record<string, string | null>>) =>
    world.hub.patch(
      unitOf('ships'),
      { type: 'merge', patch: { metadata: { annotations } } },
      { ...by('test'), user: 'jane' },
    )
  const report = async (goesBack: unknown) => {
    const { uid, resourceVersion } = (await read()).metadata
    const about = { lease: sync.lease, ref: unitOf('ships'), uid, resourceVersion }
    return caller.send(aurora, 'report', { ...about, goesBack })
  }
  const { generation } = (await read()).metadata
  const [to, failedDigest] = [digest('a'), digest('b')]
  const failed = { digest: failedDigest, generation, revision: 'main@sha1:2' }
  const refused = async (goesBack: unknown, why: RegExp) => {
    const before = await read()
    const { status, body } = await report(goesBack)
    assert.deepEqual([status, why.test(body.message ?? '')], [400, true], body.message)
    assert.deepEqual(await read(), before)
  }
  await refused({ to, failed }, /app is not to go back by itself/)

  await annotate({ 'keelson.dev/on-failure': 'undo', team: 'ships' })
  for (const other of [
    { to },
    { to: '../../secret', failed },
    { to, failed: { ...failed, generation: generation! + 1 } },
    { to, failed: { ...failed, digest: 'x' } },
    { to, failed: { ...failed, revision: 'a b' } },
    'sha256:0',
  ])
    await refused(other, /goesBack must name digests/)
  assert.equal((await report({ to, failed })).status, 200)
  const { annotations } = (await read()).metadata
  assert.deepEqual(annotations, {
    ...{ 'keelson.dev/on-failure': 'undo', team: 'ships' },
    [undo]: `${to} ${failedDigest} ${generation} main@sha1:2`,
  })
  assert.equal((await report(null)).status, 200)
  assert.equal((await read()).metadata.annotations?.[undo], undefined)

  await annotate({ [undo]: to })
  for (const goesBack of [null, { to: failedDigest, failed }]) await refused(goesBack, /a user has undone/)
  assert.equal((await read()).metadata.annotations?.['keelson.dev/undone-by'], 'jane')
})
