import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Artifact, blobNameOf } from '../../../../lib/foundations/kinds/artifact.ts'
import { gitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import { serveArtifact } from '../../../../lib/hub/apiserver/serve-artifact.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'

const artifact = { path: 'gitrepository/apps/web/abc.tar.gz', digest: 'sha256:1234', revision: 'main@sha1:abc' }
const url = 'http://hub/gitrepository/apps/web/latest.tar.gz'
const blob = Buffer.from('a tar.gz')
const ports = {
  hub: {
    get: async ({ namespace, name }) =>
      namespace === 'apps' && name === 'web'
        ? { kind: 'GitRepository', metadata: { name, namespace }, status: { artifact, url } }
        : undefined,
  } as Pick<Hub, 'get'>,
  read: async (asked: Artifact) => (blobNameOf(asked) === blobNameOf(artifact) ? blob : undefined),
}
const ask = (path: string, method = 'GET') =>
  serveArtifact(ports, gitRepository)(new Request(`http://hub/gitrepository${path}`, { method }), path)

test('serves the current artifact of a source under the path in its status', async () => {
  const answer = await ask('/apps/web/abc.tar.gz')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('etag'), '"sha256:1234"')
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), blob)
  const head = await ask('/apps/web/abc.tar.gz', 'HEAD')
  assert.equal(head.headers.get('content-length'), String(blob.length))
  assert.equal(await head.text(), '')
})

test('OC-089 HC-065: serves the current artifact at the address that stays the same, too', async () => {
  const answer = await ask('/apps/web/latest.tar.gz')
  assert.equal(answer.headers.get('cache-control'), 'no-cache')
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), blob)
  assert.equal((await ask('/web/latest.tar.gz')).status, 404)
})

test('serves nothing else', async () => {
  for (const path of [
    '/apps/web/older.tar.gz',
    '/apps/other/abc.tar.gz',
    '/apps/web',
    '/apps/web/../web/abc.tar.gz',
    '/',
  ]) {
    assert.equal((await ask(path)).status, 404, path)
  }
  assert.equal((await ask('/apps/web/abc.tar.gz', 'POST')).status, 405)
})
