/** The audit log: the same requests by the same policy at a real kube-apiserver and at the hub, and what must never stand in it. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { hub } from '../bed/hub.ts'
import { kubectl, kubectlEnding } from '../bed/kubectl.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

interface Logged {
  readonly [field: string]: unknown
  readonly level: string
  readonly stage: string
  readonly verb: string
  readonly requestURI: string
  readonly user: { readonly username?: string; readonly groups?: readonly string[] }
  readonly objectRef?: Readonly<Record<string, unknown>>
  readonly responseStatus?: Readonly<Record<string, unknown>>
  readonly requestObject?: unknown
  readonly responseObject?: { readonly kind?: string; readonly metadata?: object }
  readonly annotations?: Readonly<Record<string, string>>
  readonly userAgent?: string
}

const { path: folder } = endWithTest(disposableDir())
const policy = join(folder, 'policy.yaml')
writeFileSync(
  policy,
  `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    nonResourceURLs: ["/api*", "/openapi*", "/readyz", "/version"]
  - level: RequestResponse
    omitManagedFields: true
    namespaces: [audited]
    resources: [{resources: [configmaps, secrets]}]
  - level: Request
    namespaces: [audited]
    omitStages: [ResponseStarted]
  - level: Metadata
    resources: [{resources: [namespaces]}]
    verbs: [create, delete]
  - level: RequestResponse
    resources: [{group: authentication.k8s.io}, {resources: [serviceaccounts/token, secrets]}]
`,
)
const logs = { theirs: join(folder, 'theirs.log'), ours: join(folder, 'ours', 'audit.log') }
const flagsFor = (path: string) => [`--audit-policy-file=${policy}`, `--audit-log-path=${path}`]
const [theirs, ours] = await Promise.all([
  cluster({ apiserverFlags: flagsFor(logs.theirs) }),
  hub({ flags: flagsFor(logs.ours) }),
])

const read = (path: string): readonly Logged[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Logged)

const mark = 'audit-test'
/** Those of the test, in order: kubectl names itself, and what the test does carries this in its name. */
const marked = (path: string): readonly Logged[] =>
  read(path).filter(({ requestURI, userAgent }) => requestURI.includes(mark) && userAgent?.startsWith('kubectl'))

const manifest = (name: string, data: object, kind = 'ConfigMap') =>
  JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace: 'audited' }, ...data })

/** The same for both: each call fails or succeeds alike. */
const requests: readonly { readonly args: readonly string[]; readonly input?: string }[] = [
  { args: ['create', 'namespace', 'audited'] },
  { args: ['create', '-f', '-', `--field-manager=${mark}`], input: manifest('one', { data: { a: '1' } }) },
  { args: ['create', '-f', '-', `--field-manager=${mark}`], input: manifest('one', { data: { a: '1' } }) },
  { args: ['replace', '-f', '-', `--field-manager=${mark}`], input: manifest('one', { data: { a: '2' } }) },
  { args: ['patch', 'configmap', 'one', '-n', 'audited', '-p', '{"data":{"b":"2"}}', `--field-manager=${mark}`] },
  {
    args: ['apply', '--server-side', '-f', '-', `--field-manager=${mark}`, '--force-conflicts'],
    input: manifest('one', { data: { a: '3' } }),
  },
  { args: ['get', '--raw', `/api/v1/namespaces/audited/configmaps/one?x=${mark}`] },
  { args: ['get', '--raw', `/api/v1/namespaces/audited/configmaps/none?x=${mark}`] },
  { args: ['get', '--raw', `/api/v1/namespaces/audited/configmaps?labelSelector=a%3D${mark}`] },
  { args: ['get', '--raw', `/api/v1/namespaces/audited/configmaps?watch=1&timeoutSeconds=1&x=${mark}`] },
  { args: ['get', '--raw', `/api/v1/namespaces/audited/serviceaccounts/none?x=${mark}`] },
  {
    args: ['get', '--raw', `/api/v1/namespaces/audited/configmaps/one?x=${mark}`, '--as', 'jane', '--as-group', 'devs'],
  },
  { args: ['get', '--raw', `/api/v1/namespaces/audited/configmaps/one?x=${mark}`, '--token', 'wrong'] },
  { args: ['get', '--raw', `/${mark}`, '--as', 'jane'] },
  { args: ['delete', '--raw', `/api/v1/namespaces/audited/configmaps/one?x=${mark}`] },
]

/** What differs between two servers by their nature. */
const comparable = ({ auditID, requestReceivedTimestamp, stageTimestamp, ...event }: Logged) => {
  assert.match(String(auditID), /^[0-9a-f-]{36}$/)
  for (const time of [requestReceivedTimestamp, stageTimestamp]) assert.match(String(time), /^\d{4}-.*T.*\.\d{6}Z$/)
  const { user, userAgent, objectRef, responseStatus, responseObject, requestObject, annotations, ...others } = event
  // Which of the narrower verbs of impersonation allowed it: a hub has none of them.
  const { authenticationMetadata: ____, ...rest } = others
  assert.match(String(userAgent), /^kubectl/)
  const { uid: _, resourceVersion: __, ...reference } = objectRef ?? {}
  const { details: ___, message, ...status } = responseStatus ?? {}
  const isAdmin = user.groups?.includes('system:masters')
  return {
    ...rest,
    user: isAdmin ? 'admin' : user,
    objectRef: objectRef && reference,
    responseStatus: { ...status, ...(responseStatus?.code !== 403 && message !== undefined && { message }) },
    requestObject: asSent(requestObject),
    responseObject: asSent(responseObject),
    decision: annotations?.['authorization.k8s.io/decision'],
  }
}

/** Without what each server makes up. */
const asSent = (content: unknown): unknown =>
  content === undefined
    ? undefined
    : JSON.parse(
        JSON.stringify(content, (key, value) =>
          ['uid', 'creationTimestamp', 'resourceVersion', 'managedFields', 'details', 'remainingItemCount'].includes(
            key,
          )
            ? undefined
            : value,
        ),
      )

test('puts the same on record as a kube-apiserver', async () => {
  for (const { args, input } of requests)
    for (const { kubeconfig } of [theirs, ours]) await kubectlEnding(kubeconfig, args, input ? { input } : {})
  const [at, here] = await eventually(() => {
    const both = [marked(logs.theirs), marked(logs.ours)] as const
    assert.equal(
      both[1].length,
      both[0].length,
      `theirs ${both[0].map(shown).join(' ')}\nours ${both[1].map(shown).join(' ')}`,
    )
    assert.ok(both[0].some(({ stage, verb }) => verb === 'watch' && stage === 'ResponseComplete'))
    return both
  })
  for (const [index, event] of at.entries())
    assert.deepEqual(comparable(here[index]!), comparable(event), `${event.verb} ${event.requestURI}`)
})

const shown = ({ verb, stage, responseStatus }: Logged): string => `${verb}/${stage}/${responseStatus?.code}`

const planted = 'cGxhbnRlZC1zZWNyZXQ='
const secrets = [planted, 'planted-secret', 'eyJ']

test('never holds the value of a Secret, nor a token, whatever the policy says', async () => {
  await kubectl(ours.kubeconfig, ['create', '-f', '-'], {
    input: manifest('hidden', { data: { a: planted } }, 'Secret'),
  })
  const patch = JSON.stringify({ stringData: { b: 'planted-secret' } })
  await kubectl(ours.kubeconfig, ['patch', 'secret', 'hidden', '-n', 'audited', '-p', patch])
  await kubectl(ours.kubeconfig, ['get', 'secrets', '-n', 'audited', '-o', 'yaml'])
  await kubectl(ours.kubeconfig, ['get', 'secrets', '-A'])
  // Each of these is refused, with an error about a value.
  const wrong = [
    manifest('wrong', { data: { a: 'planted-secret' } }, 'Secret'),
    manifest('wrong', { data: { 'planted-secret/': planted } }, 'Secret'),
    manifest('wrong', { type: 'kubernetes.io/tls', data: { a: planted } }, 'Secret'),
    manifest('wrong', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': planted } }, 'Secret'),
  ]
  for (const input of wrong) {
    const { exitCode } = await kubectlEnding(ours.kubeconfig, ['create', '-f', '-'], { input })
    assert.notEqual(exitCode, 0)
  }
  await kubectl(ours.kubeconfig, ['create', 'serviceaccount', 'bot', '-n', 'audited'])
  const token = (await kubectl(ours.kubeconfig, ['create', 'token', 'bot', '-n', 'audited'])).trim()
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
  await kubectl(ours.kubeconfig, ['create', '-f', '-', '-o', 'name'], { input: JSON.stringify(review) })
  await kubectlEnding(ours.kubeconfig, ['get', 'secrets', '-A', '--token', token])
  const all = readFileSync(logs.ours, 'utf8')
  for (const secret of [...secrets, token]) assert.ok(!all.includes(secret), secret)
  const events = read(logs.ours)
  const about = (resource: string) => events.filter(({ objectRef }) => objectRef?.resource === resource)
  assert.ok(about('secrets').length >= 8)
  for (const { level } of [...about('secrets'), ...about('tokenreviews')]) assert.equal(level, 'Metadata')
  const requested = events.find(({ objectRef }) => objectRef?.subresource === 'token')
  assert.equal(requested?.level, 'Metadata')
  assert.deepEqual([requested?.objectRef?.namespace, requested?.objectRef?.name], ['audited', 'bot'])
})

test('says on whose behalf, from where, and why it was allowed', async () => {
  await kubectl(ours.kubeconfig, [
    'create',
    'rolebinding',
    'devs',
    '-n',
    'audited',
    '--clusterrole=edit',
    '--group=devs',
  ])
  const input = manifest('of-jane', { data: { a: '1' } })
  await kubectl(ours.kubeconfig, ['create', '-f', '-', '--as', 'jane', '--as-group', 'devs', '--as-uid', '7'], {
    input,
  })
  const event = read(logs.ours).find(({ objectRef }) => objectRef?.name === 'of-jane')!
  assert.equal(event.user.username, 'kubernetes-admin')
  assert.deepEqual(event.impersonatedUser, { username: 'jane', uid: '7', groups: ['devs', 'system:authenticated'] })
  assert.deepEqual(event.sourceIPs, ['127.0.0.1'])
  assert.deepEqual(event.annotations, {
    'authorization.k8s.io/decision': 'allow',
    'authorization.k8s.io/reason': 'RBAC: allowed by RoleBinding "devs/audited" of ClusterRole "edit" to Group "devs"',
  })
})

test('without a policy, puts each write on record, and each read of a Secret by a person; and keeps its files small', async () => {
  const path = join(folder, 'default', 'audit.log')
  const server = await hub({
    flags: ['--audit-log-path', path, '--audit-log-maxsize', '1', '--audit-log-maxbackup', '1'],
  })
  await server.kubectl('create', 'secret', 'generic', 'one', '--from-literal=a=planted-secret')
  await server.kubectl('get', 'secret', 'one')
  await server.kubectl('get', 'configmaps', '-A')
  await server.kubectl('auth', 'can-i', 'get', 'pods')
  await server.kubectl('delete', 'secret', 'one')
  const lines = read(path).map(
    ({ verb, objectRef, level }) => `${level} ${verb} ${objectRef?.resource} ${objectRef?.name}`,
  )
  assert.deepEqual(
    [...new Set(lines)],
    [
      'Metadata create secrets one',
      'Metadata get secrets one',
      'Metadata delete secrets one',
      ...(lines.includes('Metadata list secrets undefined') ? ['Metadata list secrets undefined'] : []),
      ...(lines.includes('Metadata watch secrets undefined') ? ['Metadata watch secrets undefined'] : []),
    ],
  )
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const { token, server: url } = {
    token: /token: (\S+)/.exec(readFileSync(server.kubeconfig, 'utf8'))![1]!,
    server: server.server,
  }
  const ca = Buffer.from(
    /certificate-authority-data: (\S+)/.exec(readFileSync(server.kubeconfig, 'utf8'))![1]!,
    'base64',
  )
  const { Agent, fetch } = await import('undici')
  const agent = new Agent({ connect: { ca } })
  const userAgent = 'x'.repeat(1000)
  for (let at = 0; at < 2500; at++)
    await fetch(`${url}/api/v1/namespaces/default/configmaps/none-${at}`, {
      ...{
        dispatcher: agent,
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}`, 'user-agent': userAgent },
      },
    }).then(response => response.text())
  await agent.close()
  const files = readdirSync(join(folder, 'default'))
  assert.equal(files.length, 2, files.join(' '))
  for (const file of files) assert.ok(statSync(join(folder, 'default', file)).size <= 1024 * 1024)
})

test('does not start with a policy that it can not use', async () => {
  const broken = join(folder, 'broken.yaml')
  writeFileSync(broken, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]')
  await assert.rejects(
    hub({ flags: flagsFor(logs.ours).map(flag => flag.replace(policy, broken)) }),
    /rules\[0\]\.level: Unsupported value: "All"/,
  )
  await assert.rejects(hub({ flags: ['--audit-policy-file', policy] }), /--audit-policy-file needs --audit-log-path/)
})
