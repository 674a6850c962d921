import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureRootSource, parseRootSource } from '../../../lib/compose/root-source.ts'
import { gitRepository } from '../../../lib/foundations/kinds/git-repository.ts'
import { kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import { hubWorld } from '../hub/store/world.ts'

test('reads repository, folder, branch and secret', () => {
  const plain = { branch: undefined, path: './', secret: undefined }
  assert.deepEqual(parseRootSource('https://github.com/acme/fleet.git'), {
    ...plain,
    url: 'https://github.com/acme/fleet.git',
  })
  assert.deepEqual(parseRootSource('https://git.example:8443/a/b//?ref=x'), {
    ...plain,
    url: 'https://git.example:8443/a/b',
    branch: 'x',
  })
  assert.deepEqual(parseRootSource('ssh://git@github.com/acme/fleet//clusters/hub/?ref=release/1&secret=deploy-key'), {
    url: 'ssh://git@github.com/acme/fleet',
    branch: 'release/1',
    path: './clusters/hub',
    secret: 'deploy-key',
  })
})

test('refuses other forms, credentials, and folders outside of the repository', () => {
  const refused = [
    '',
    'github.com/acme/fleet',
    'git@github.com:acme/fleet',
    'file:///srv/fleet',
    'https://github.com',
    'https://github.com/',
    'https://user@github.com/acme/fleet',
    'https://user:password@github.com/acme/fleet',
    'ssh://git:password@github.com/acme/fleet',
    'https://github.com/acme/fleet#main',
    'https://github.com/acme/fleet?branch=main',
    'https://github.com/acme/fleet//a//b',
    'https://github.com/acme/fleet//%2e%2e/b',
  ]
  for (const text of refused.slice(0, -1)) assert.equal(parseRootSource(text), undefined, text)
})

test('makes the root objects once, and leaves them alone when they are as they should be', async () => {
  const { hub } = await hubWorld()
  const source = parseRootSource('https://github.com/acme/fleet//clusters/hub?ref=main&secret=token')!
  await ensureRootSource(hub, source)
  const root = { namespace: 'keelson-system', name: 'root' }
  const read = async () => [
    await hub.get({ group: gitRepository.group, kind: gitRepository.kind, ...root }),
    await hub.get({ group: kustomization.group, kind: kustomization.kind, ...root }),
  ]
  const first = (await read()) as { spec?: unknown; metadata: { resourceVersion?: string } }[]
  assert.deepEqual(
    first.map(object => object.spec),
    [
      {
        interval: '5m',
        timeout: '60s',
        url: 'https://github.com/acme/fleet',
        ref: { branch: 'main' },
        secretRef: { name: 'token' },
      },
      {
        force: false,
        interval: '10m',
        path: './clusters/hub',
        prune: true,
        sourceRef: { kind: 'GitRepository', name: 'root' },
      },
    ],
  )
  await ensureRootSource(hub, source)
  assert.deepEqual(await read(), first)
})
