import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeconfigError, parseKubeconfig } from '../../../../lib/clusters/client/kubeconfig.ts'
import { kubeconfigOf } from '../../../../lib/clusters/client/kubeconfig-secret.ts'
import { certificateAuthority } from '../../../bed/certificates.ts'

const { cert, key } = certificateAuthority().issue('jane')
const base64 = (text: string) => Buffer.from(text).toString('base64')

const kubeconfig = (cluster: object, user: object = {}, more: object = {}) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    contexts: [
      { name: 'dev', context: { cluster: 'other', user: 'u' } },
      { name: 'prod', context: { cluster: 'c', user: 'u' } },
    ],
    clusters: [
      { name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } },
      { name: 'other', cluster: { server: 'https://dev.example.com' } },
    ],
    users: [{ name: 'u', user }],
    ...more,
  })

/** What was read, without what is absent. */
const read = (text: string, options = {}) => JSON.parse(JSON.stringify(parseKubeconfig(text, options)))

test('KS-220, KS-223 reads the current context: server, trust, certificate, token, impersonation', () => {
  const cluster = {
    'certificate-authority-data': base64('CA'),
    'tls-server-name': 'api.internal',
    'proxy-url': 'http://proxy:3128',
  }
  const user = {
    'client-certificate-data': base64(cert),
    'client-key-data': base64(key),
    token: 'secret',
    username: 'admin',
    password: 'hunter2',
    as: 'jane',
    'as-groups': ['a', 'b'],
    'as-uid': '7',
    'as-user-extra': { 'example.com/scope': ['x', 'y'] },
  }
  assert.deepEqual(read(kubeconfig(cluster, user)), {
    server: 'https://10.0.0.1:6443',
    certificateAuthority: 'CA',
    tlsServerName: 'api.internal',
    insecureSkipTlsVerify: false,
    proxyUrl: 'http://proxy:3128',
    clientCertificate: cert,
    clientKey: key,
    token: 'secret',
    basicAuth: { username: 'admin', password: 'hunter2' },
    impersonate: { user: 'jane', groups: ['a', 'b'], uid: '7', extra: { 'example.com/scope': ['x', 'y'] } },
    warnings: [],
  })
  assert.equal(read(kubeconfig({}), { context: 'dev' }).server, 'https://dev.example.com')
})

test('reads YAML, a server without scheme, and drops credentials from its address', () => {
  const text = `
current-context: a
contexts: [{ name: a, context: { cluster: a } }]
clusters:
- name: a
  cluster: { server: "user:pass@host:6443" }
`
  assert.equal(read(text).server, 'https://host:6443')
})

test('KS-221 drops auth-provider with a warning: nothing in a kubeconfig is run', () => {
  assert.deepEqual(read(kubeconfig({}, { 'auth-provider': { name: 'gcp' } })).warnings, [
    'users[u].user.auth-provider is not supported and was ignored',
  ])
})

test('KS-221 understands exec where it gets a token from EKS, and refuses all else', () => {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'aws' }
  const args = ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'prod', '--output', 'json']
  const { eks, warnings } = read(kubeconfig({}, { exec: { ...exec, args } }))
  assert.deepEqual([eks, warnings], [{ clusterName: 'prod', region: 'eu-west-1' }, []])
  assert.throws(
    () => read(kubeconfig({}, { exec: { command: '/usr/bin/gke-gcloud-auth-plugin' } })),
    /^KubeconfigError: kubeconfig: users\[u\]\.user\.exec: "gke-gcloud-auth-plugin" is not supported: programs are not run; use a token/,
  )
})

test('KS-222 refuses to read files, except for a user of this machine', () => {
  const cluster = { 'certificate-authority': '/etc/ca.pem' }
  const user = { tokenFile: '/run/token', 'client-certificate': 'c.pem', 'client-key': 'k.pem' }
  const message = (field: string) =>
    `kubeconfig: ${field} refers to a file: only values inside the kubeconfig are supported`
  assert.throws(
    () => read(kubeconfig(cluster)),
    new KubeconfigError(message('clusters[c].cluster.certificate-authority')),
  )
  assert.throws(
    () => read(kubeconfig({}, { tokenFile: '/x' })),
    new KubeconfigError(message('users[u].user.tokenFile')),
  )

  const files = new Map(Object.entries({ '/etc/ca.pem': 'CA', '/run/token': 'T\n', 'c.pem': cert, 'k.pem': key }))
  const readFile = (path: string) => files.get(path)!
  const { certificateAuthority, token, clientCertificate, clientKey } = read(kubeconfig(cluster, user), { readFile })
  assert.deepEqual([certificateAuthority, token, clientCertificate, clientKey], ['CA', 'T', cert, key])
})

test('KS-223 ignores insecure-skip-tls-verify unless the operator allows it', () => {
  const text = kubeconfig({ 'insecure-skip-tls-verify': true })
  assert.deepEqual(read(text), {
    server: 'https://10.0.0.1:6443',
    insecureSkipTlsVerify: false,
    warnings: ['clusters[c].cluster.insecure-skip-tls-verify is not allowed and was ignored'],
  })
  assert.equal(read(text, { allowInsecureTls: true }).insecureSkipTlsVerify, true)
})

test('errors name the field and hold no value', () => {
  const failures: [string, string][] = [
    ['not: [a kubeconfig', 'yaml: line 1: '],
    ['token: "hunter2', 'yaml: line 1: '],
    ['[]', 'kubeconfig: not a mapping'],
    ['{}', 'kubeconfig: current-context is not set'],
    [kubeconfig({}, {}, { 'current-context': 'x' }), 'kubeconfig: contexts has no entry named "x"'],
    [kubeconfig({}, {}, { clusters: [] }), 'kubeconfig: clusters has no entry named "c"'],
    [kubeconfig({}, {}, { users: 'hunter2' }), 'kubeconfig: users has no entry named "u"'],
    [kubeconfig({ server: 'ht tp://hunter2' }), 'kubeconfig: clusters[c].cluster.server is not a URL'],
    [
      kubeconfig({ 'proxy-url': 'socks5://hunter2' }),
      'kubeconfig: clusters[c].cluster.proxy-url: only http and https proxies',
    ],
    [kubeconfig({}, { token: { a: 'hunter2' } }), 'kubeconfig: users[u].user.token is not a string'],
    [
      kubeconfig({}, { 'client-key-data': '%hunter2' }),
      'kubeconfig: users[u].user.client-key-data is not valid base64',
    ],
    [
      kubeconfig({}, { 'client-certificate-data': base64('hunter2'), 'client-key-data': base64('hunter2') }),
      'kubeconfig: users[u].user: the client certificate or its key is unusable: ',
    ],
    [
      kubeconfig({}, { 'client-key-data': base64('K') }),
      'kubeconfig: users[u].user.client-certificate-data is missing',
    ],
  ]
  for (const [text, beginning] of failures)
    assert.throws(
      () => parseKubeconfig(text),
      ({ message }: Error) => message.startsWith(beginning) && !message.includes('hunter2'),
      text,
    )
})

test('KS-218, KS-225 takes the kubeconfig from the key named, else from value or value.yaml', () => {
  const secret = (data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'kc', namespace: 'apps' },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
  })
  assert.equal(kubeconfigOf(secret({ value: 'a', 'value.yaml': 'b' })), 'a')
  assert.equal(kubeconfigOf(secret({ 'value.yaml': 'b' })), 'b')
  assert.equal(kubeconfigOf(secret({ value: 'a', mine: 'c' }), 'mine'), 'c')
  assert.throws(
    () => kubeconfigOf(secret({ value: 'a' }), 'nope'),
    new KubeconfigError("KubeConfig secret 'apps/kc' does not contain a 'nope' key with a kubeconfig"),
  )
  assert.throws(
    () => kubeconfigOf(secret({ constructor: 'a' })),
    new KubeconfigError("KubeConfig secret 'apps/kc' does not contain a 'value' key with a kubeconfig"),
  )
})
