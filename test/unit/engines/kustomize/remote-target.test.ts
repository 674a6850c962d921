import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRemoteTarget } from '../../../../lib/engines/kustomize/remote-target.ts'

const DEFAULTS = { submodules: true, timeoutSeconds: 27 }

/** Entry, what git clones, directory: as kustomize's own parser says (api/internal/git/repospec.go of 5.8.2). */
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
  ['FILE:///srv/x.git', 'file:///srv/x.git', ''],
  ['file://user@host/srv', 'file://user@host/srv', ''],
  ['https://git@github.com/org/repo', 'git@github.com:org/repo', ''],
  ['https://user@github.com/org/repo/x', 'user@github.com:org/repo', 'x'],
  ['github.com:org/repo', 'https://github.com/org/repo', ''],
  ['git@host/a/b/c', 'git@host/a/b', 'c'],
  ['git@host/a:b/c', 'git@host/a:b/c', ''],
  ['SSH://Git@Host/a/b', 'ssh://Git@Host/a/b', ''],
  ['Git::https://h/a/b', 'https://h/a/b', ''],
  ['https://h/a/', 'https://h/a/', ''],
  ['https://h/git::a/b', 'https://h/git::a/b', ''],
  ['https://h/a/b/', 'https://h/a/b', ''],
  ['https://h//a', 'https://h//a', ''],
  ['https://h:80/a/b', 'https://h:80/a/b', ''],
  ['ssh://git@h:22/a/b/c', 'ssh://git@h:22/a/b', 'c'],
  ['https://mygithub.com/org/repo/x', 'https://mygithub.com/org/repo', 'x'],
  ['user@my.github.com/org/repo/x', 'user@my.github.com/org/repo', 'x'],
  ['https://h/a.git.git/b', 'https://h/a.git', '.git/b'],
  ['https://h/a.gitx/b', 'https://h/a.git', 'x/b'],
  ['https://h/.git/b', 'https://h/.git', 'b'],
  ['https://h/x/_git/r/_git/s/p', 'https://h/x/_git/r', '_git/s/p'],
  ['https://h/_git/', 'https://h/_git/', ''],
  ['https://h/a.git/_git/r', 'https://h/a.git/_git/r', ''],
  // The same directories, cleaned; and the only user that GitHub has, where kustomize names none.
  ['https://h/a/b//c//d', 'https://h/a/b', 'c/d'],
  ['https://h/a/b/./c/../d', 'https://h/a/b', 'd'],
  ['ssh://github.com/org/repo/dev', 'git@github.com:org/repo', 'dev'],
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
  'host.example:org/repo',
  '1git@host:a/b',
  'a.b@host:a/b',
  'x/git@host:a/b',
  'xgit::https://h/a/b',
  'xhttps://h/a/b',
  'http_://h/a/b',
  'abc/https://h/a/b',
  'https://h',
  'https://h.git',
  'https:///a/b',
  '?https://h/a/b',
  'https://h/',
  'https://h/a',
  'https://h///a',
  'https://h/a/b//..',
  'https://h/a/b//c/../..',
  'https://h?a/b',
  'file://',
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
  assert.deepEqual(parse('ref=&version=v'), { ref: 'v', ...DEFAULTS })
  assert.deepEqual(parse('ref=a?b'), { ref: 'a?b', ...DEFAULTS })
  for (const nothing of ['', 'ref=', 'ref=a;b', 'ref=a%2', 'ref=a%zz&timeout=5', 'submodules=', 'submodules=fALSE'])
    assert.deepEqual(parse(nothing), DEFAULTS)
  for (const no of ['0', 'f', 'F', 'false', 'False', 'FALSE'])
    assert.deepEqual(parse(`submodules=${no}`), { ...DEFAULTS, submodules: false })
})

test('reads a timeout as whole seconds, or as Go writes durations', () => {
  const seconds = (timeout: string): number =>
    parseRemoteTarget(`https://host/org/repo?timeout=${encodeURIComponent(timeout)}`)!.timeoutSeconds
  const read = {
    '5': 5,
    '+5': 5,
    '1h2m3s': 3723,
    '+1h': 3600,
    '1.5s': 1.5,
    '1.s': 1,
    '.5s': 0.5,
    '12.25m': 735,
    '10m10m': 1200,
  }
  for (const [text, expected] of Object.entries(read)) assert.equal(seconds(text), expected, text)
  for (const text of ['250ms', '250000us', '250000µs', '250000μs', '250000000ns'])
    assert.ok(Math.abs(seconds(text) - 0.25) < 1e-9, text)
  for (const text of [
    '',
    '0',
    '1.5',
    '0x5',
    '0s',
    '0h0m',
    '-1h',
    '5+5',
    '++5',
    'x5',
    '5x',
    'x5s',
    '5sx',
    '5s5',
    '+',
    's',
    '.s',
  ])
    assert.equal(seconds(text), 27, text)
})
