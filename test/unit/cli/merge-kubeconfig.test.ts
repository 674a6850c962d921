import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeKubeconfig } from '../../../lib/cli/merge-kubeconfig.ts'
import { parseYaml } from '../../../lib/engines/yaml/parse.ts'

const entry = { name: 'hub', cluster: { server: 'https://hub' }, user: { exec: { command: 'keelson' } } }

const alone = `apiVersion: v1
kind: Config
clusters:
- cluster:
    server: https://hub
  name: hub
users:
- name: hub
  user:
    exec:
      command: keelson
contexts:
- context:
    cluster: hub
    user: hub
  name: hub
current-context: hub
`

test('makes a kubeconfig where there is none', () => {
  assert.deepEqual(mergeKubeconfig('', entry), { text: alone, replaced: false })
})

test('doing it again changes nothing', () => {
  assert.deepEqual(mergeKubeconfig(alone, entry), { text: alone, replaced: true })
})

test('preserves other entries and comments, and replaces only entries of its name', () => {
  const theirs = `# mine
apiVersion: v1
kind: Config
preferences: {colors: true}
clusters:
- name: prod # do not touch
  cluster: {server: "https://prod"}
- name: hub
  cluster: {server: "https://old"}
users: []
contexts: null
current-context: prod
`
  assert.equal(
    mergeKubeconfig(theirs, { ...entry, namespace: 'apps' }).text,
    `# mine
apiVersion: v1
kind: Config
preferences: {colors: true}
clusters:
- name: prod # do not touch
  cluster: {server: "https://prod"}
- cluster:
    server: https://hub
  name: hub
users:
- name: hub
  user:
    exec:
      command: keelson
contexts:
- context:
    cluster: hub
    namespace: apps
    user: hub
  name: hub
current-context: hub
`,
  )
})

// The text is what the YAML engine wrote before, which writes as kubectl does.
test('adds to a file that kubectl wrote as kubectl would', () => {
  const data = 'QUJD'.repeat(60)
  const entries = (list: string, first: string, second = '') => `${list}:\n${first}${second}`
  const prod = `- cluster:
    certificate-authority-data: ${data}
    server: https://10.0.0.1:6443
  name: prod
`
  const prodContext = `- context:
    cluster: prod
    user: admin
  name: prod
`
  const admin = `- name: admin
  user:
    client-certificate-data: ${data}
    token: "yes"
`
  const hub = `- cluster:
    certificate-authority-data: ${data}
    server: https://hub
  name: hub
`
  const hubContext = `- context:
    cluster: hub
    user: hub
  name: hub
`
  const hubUser = `- name: hub
  user:
    token: abc
`
  const file = (current: string, clusters: string, contexts: string, users: string) =>
    `apiVersion: v1\n${clusters}${contexts}current-context: ${current}\nkind: Config\npreferences: {}\n${users}`
  const before = file('prod', entries('clusters', prod), entries('contexts', prodContext), entries('users', admin))
  const merged = mergeKubeconfig(before, {
    name: 'hub',
    cluster: { server: 'https://hub', 'certificate-authority-data': data },
    user: { token: 'abc' },
  })
  assert.equal(
    merged.text,
    file(
      'hub',
      entries('clusters', prod, hub),
      entries('contexts', prodContext, hubContext),
      entries('users', admin, hubUser),
    ),
  )
})

test('what it writes reads the same for kubectl, which knows more words for true and more forms of numbers', () => {
  const args = ['yes', 'y', 'on', 'true', '~', 'null', '', '0x10', '012', '1_000', '1e3', '12:30:45', '2020-01-01']
  const awkward = [...args, '-', '=', '<<', '#x', ' s', 'a: b', 'a\nb', "it's", '"', '*a', '&b', '!c', '%d', '@e', '`f']
  const files = ['', '# mine\n', '{"apiVersion": "v1", "kind": "Config", "users": [], "clusters": [{"name": "a"}]}']
  for (const text of files) {
    const user = { exec: { command: 'keelson', args: awkward } }
    const [read] = parseYaml(mergeKubeconfig(text, { ...entry, user }).text)
    assert.deepEqual((read as { readonly users: unknown }).users, [{ name: 'hub', user }])
  }
})

test('keeps blank lines, quotes and comments of a file that is written by hand', () => {
  const byHand = `---
# first

apiVersion: v1
kind: Config # of my own

clusters:
# before
- name: prod
  cluster: &prod
    server: 'https://prod'

# the same
- name: same
  cluster: *prod
users: []
contexts: []
`
  const { text } = mergeKubeconfig(byHand, entry)
  const [kept] = byHand.split('users: []')
  assert.equal(text.slice(0, kept!.length), kept)
  assert.match(text, /\ncurrent-context: hub\n$/)
})

test('an error quotes nothing of the file', () => {
  const broken = ['token: "s3cret', 'token: s3cret: x', '- s3cret\ntoken: x', 's3cret: 1\ns3cret: 2', '"a" "s3cret"']
  for (const text of broken)
    assert.throws(
      () => mergeKubeconfig(text, entry),
      ({ message }: Error) => /^line \d/.test(message) && !message.includes('s3cret'),
    )
})

test('keeps its hands off what is no kubeconfig', () => {
  const refusals = {
    '[]': 'line 1: a kubeconfig must be a mapping',
    text: 'line 1: a kubeconfig must be a mapping',
    'kind: Pod': 'line 1: kind must be Config',
    'kind: Config\nclusters: {}': 'line 2: clusters must be a list',
    '{': 'line 1, column 2: not valid YAML (missing char)',
    'kind: Config\nkind: Config': 'line 2, column 1: not valid YAML (duplicate key)',
    'kind: Config\n---\nkind: Config': 'line 2, column 1: not valid YAML (multiple docs)',
    'kind: Config\nclusters: [*prod]': 'line 2: alias without an anchor',
  }
  for (const [text, message] of Object.entries(refusals)) assert.throws(() => mergeKubeconfig(text, entry), { message })
})
