import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeKubeconfig } from '../../../lib/cli/merge-kubeconfig.ts'

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

test('leaves what others wrote as it is, comments too, and replaces only what bears its name', () => {
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

test('keeps its hands off what is no kubeconfig', () => {
  const refusals = {
    '[]': 'it is no kubeconfig',
    text: 'it is no kubeconfig',
    'kind: Pod': 'it is no kubeconfig',
    'kind: Config\nclusters: {}': 'its clusters are no list',
  }
  for (const [text, message] of Object.entries(refusals)) assert.throws(() => mergeKubeconfig(text, entry), { message })
  assert.throws(() => mergeKubeconfig('{', entry))
})
