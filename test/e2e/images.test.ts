/** An image from its push to a registry to a cluster: notification, Receiver, scan, policy, commit, source and Kustomization, on one hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { git } from '../bed/git.ts'
import { hub } from '../bed/hub.ts'
import { startImagePipeline } from '../bed/image-pipeline.ts'
import { endWithTest } from '../bed/teardown.ts'

test('IM-018 a push to a registry is scanned, committed and applied at once, although every interval is an hour', async () => {
  const [it, target] = await Promise.all([hub(), cluster()])
  const { repo, image, push } = endWithTest(await startImagePipeline(it, target))
  const applied = () => target.kubectl('get', 'configmap', 'app', '-o', 'jsonpath={.data.image}')
  await it.kubectl('wait', 'imagerepository/app', 'imagepolicy/app', 'iua/auto', 'ks/app', '--for=condition=Ready')
  assert.equal(await applied(), `${image}:1.0.0`)

  await push('1.1.0')
  await eventually(async () => assert.equal(await applied(), `${image}:1.1.0`))
  assert.equal(
    await repo.git('log', '--format=%an: %s', 'main'),
    'Fluxbot: Update from image update automation\nKeelson Tests: Initial commit',
  )
  const requestedBy = 'jsonpath={.metadata.annotations.keelson\\.dev/requested-by}'
  assert.equal(await it.kubectl('get', 'gitrepository', 'app', '-o', requestedBy), 'ImageUpdateAutomation default/auto')
  await git(['fsck', '--strict', '--full'], { cwd: repo.dir })
})
