/** An image from its push to a registry to the clusters: Receiver, scan, policy, commit, source and Kustomization, on one hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { git } from '../bed/git.ts'
import { hub } from '../bed/hub.ts'
import { callReceiver, deployedImage, imagePipeline, pushTag } from './image-pipeline.ts'

test('IM-018 a push to a registry is scanned, committed and applied at once, although every interval is an hour', async () => {
  const { repo, registry, objects } = await imagePipeline()
  const it = await hub()
  await it.apply(objects)
  await it.kubectl('wait', 'receiver/registry', 'imagepolicy/app', 'iua/auto', 'ks/app', '--for=condition=Ready')
  await eventually(async () => assert.equal(await deployedImage(it), `${registry.host}/app:1.0.0`))
  await pushTag(registry, '1.1.0')
  assert.equal(await callReceiver(it), 200)
  await eventually(async () => assert.equal(await deployedImage(it), `${registry.host}/app:1.1.0`))
  assert.equal(await repo.git('log', '--format=%an: %s', '-1', 'main'), 'Fluxbot: Update from image update automation')
  await git(['fsck', '--strict', '--full'], { cwd: repo.dir })
})
