import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRemoteTarget } from '../../../lib/kustomize/remote-target.ts'

const DEFAULTS = { submodules: true, timeoutSeconds: 27 }

/** Entry, what git clones, directory: as kustomize's `git fetch` in the recorded errors, and its documentation. */
const FORMS: readonly (readonly [string, string, string])[] = [
  [
    'https://github.com/kubernetes-sigs/kustomize//examples/dev/',
    'https://github.com/kubernetes-sigs/kustomize',
    'examples/dev',
  ],
  ['https://github.com/org/repo.git//dev', 'https://github.com/org/repo.git', 'dev'],
  ['git::https://github.com/org/repo//dev', 'https://github.com/org/repo', 'dev'],
  ['github.com/org/repo/examples/dev', 'https://github.com/org/repo', 'examples/dev'],
  ['GitHub.com/org/repo', 'https://github.com/org/repo', ''],
  ['git@github.com/org/repo/dev', 'git@github.com:org/repo', 'dev'],
  ['git@github.com:org/repo/dev', 'git@github.com:org/repo', 'dev'],
  ['git@host.example:org/repo.git', 'git@host.example:org/repo.git', ''],
  ['ssh://git@github.com/org/repo/dev', 'git@github.com:org/repo', 'dev'],
  ['ssh://git@host.example:2222/org/repo.git/dev', 'ssh://git@host.example:2222/org/repo.git', 'dev'],
  [
    'http://127.0.0.1:44267/long/enough/to/have/org/and/repo',
    'http://127.0.0.1:44267/long/enough',
    'to/have/org/and/repo',
  ],
  ['package@v1.28.0.example/configs/base', 'package@v1.28.0.example/configs/base', ''],
  ['https://dev.azure.com/org/project/_git/repo/base', 'https://dev.azure.com/org/project/_git/repo', 'base'],
  ['https://example.invalid/repo//base', 'https://example.invalid/repo', 'base'],
  ['file:///srv/simple.git/dev', 'file:///srv/simple.git', 'dev'],
  ['file:///srv/nosuffix', 'file:///srv/nosuffix', ''],
]

for (const [text, url, path] of FORMS)
  test(`takes ${text} for a repository`, () => assert.deepEqual(parseRemoteTarget(text), { url, path, ...DEFAULTS }))

for (const text of [
  'base',
  '../base',
  '/github.com/org/repo',
  'example.com/org/repo',
  'https://github.com/too-few.yaml',
  'https://github.com/org/repo//../../etc',
  'https://',
  'git@',
  '',
])
  test(`takes '${text}' for no repository`, () => assert.equal(parseRemoteTarget(text), undefined))

test('reads ref, submodules and timeout from the query', () => {
  const parse = (query: string): object => {
    const { url: _, path: __, ...rest } = parseRemoteTarget(`https://host/org/repo?${query}`)!
    return rest
  }
  assert.deepEqual(parse('submodules=0&ref=kustomize%2Fv4.5.7&timeout=300'), {
    ref: 'kustomize/v4.5.7',
    submodules: false,
    timeoutSeconds: 300,
  })
  assert.deepEqual(parse('version=main&timeout=1m30s'), { ref: 'main', submodules: true, timeoutSeconds: 90 })
  assert.deepEqual(parse('version=a&ref=b&timeout=-1&submodules=maybe'), { ref: 'b', ...DEFAULTS })
})
