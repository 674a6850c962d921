/** Who may do what, by an unmodified kubectl: users by certificate, service accounts by token, roles, questions about them. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from '../bed/command.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { kubectl } from '../bed/kubectl.ts'
import { refusal } from '../bed/refusal.ts'

const server = await hub()
/** kubectl as a user with a certificate. */
const userOf = async (name: string, ...groups: string[]) => {
  const flags = groups.flatMap(group => ['--group', group])
  const config = await command(process.execPath, [program, 'user', name, ...flags, '--data', server.dataDirectory])
  const path = join(server.dataDirectory, `${name}.kubeconfig`)
  writeFileSync(path, config, { mode: 0o600 })
  return (...args: string[]) => kubectl(path, args)
}

/** kubectl with nothing but a token. */
const bearing = (token: string) => (args: readonly string[]) => kubectl(server.kubeconfig, [...args, '--token', token])

test('knows users by their certificates, and lets them do what their roles allow', async () => {
  const jane = await userOf('jane', 'devs', 'admins')
  assert.match(await jane('auth', 'whoami'), /Username +jane\nGroups +\[devs admins system:authenticated\]/)
  assert.match(
    await refusal(jane('get', 'configmaps')),
    /configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"/,
  )
  await server.kubectl('create', 'rolebinding', 'devs', '--clusterrole=edit', '--group=devs')
  await jane('create', 'configmap', 'mine', '--from-literal=a=1')
  assert.match(await jane('get', 'configmaps', '-o', 'name'), /configmap\/mine/)
  assert.match(await refusal(jane('get', 'configmaps', '-n', 'kube-system')), /forbidden/)
  assert.match(
    await refusal(jane('create', 'rolebinding', 'me', '--clusterrole=cluster-admin', '--user=jane')),
    /cannot create resource "rolebindings"/,
  )
})

test('reports what a user may do', async () => {
  const joe = await userOf('joe')
  await server.kubectl('create', 'role', 'reader', '--verb=get,list', '--resource=secrets', '--resource-name=one')
  await server.kubectl('create', 'rolebinding', 'joe', '--role=reader', '--user=joe')
  assert.match(await refusal(joe('auth', 'can-i', 'get', 'secrets')), /^no\n/)
  assert.equal(await joe('auth', 'can-i', 'get', 'secrets/one'), 'yes\n')
  assert.equal(await joe('auth', 'can-i', 'get', '/version'), 'yes\n')
  assert.match(await joe('auth', 'can-i', '--list'), /secrets +\[\] +\[one\] +\[get list\]/)
  assert.equal(await server.kubectl('auth', 'can-i', '*', '*', '--all-namespaces'), 'yes\n')
  assert.equal(await server.kubectl('auth', 'can-i', 'list', 'secrets/one', '--as=joe'), 'yes\n')
  assert.match(
    await refusal(joe('get', 'secrets', '--as=jane')),
    /users "jane" is forbidden: User "joe" cannot impersonate/,
  )
})

test('gives service accounts tokens that count for them', async () => {
  await server.kubectl('create', 'serviceaccount', 'bot')
  const token = (await server.kubectl('create', 'token', 'bot', '--duration=20m')).trim()
  const bot = bearing(token)
  assert.match(await bot(['auth', 'whoami']), /system:serviceaccount:default:bot/)
  assert.match(await refusal(bot(['get', 'secrets'])), /User "system:serviceaccount:default:bot" cannot list/)
  await server.kubectl(
    'create',
    'clusterrolebinding',
    'bot',
    '--clusterrole=cluster-admin',
    '--serviceaccount=default:bot',
  )
  assert.match(await bot(['get', 'namespaces', '-o', 'name']), /namespace\/default/)
  await server.stop()
  await server.start()
  assert.match(await bot(['get', 'namespaces', '-o', 'name']), /namespace\/default/, 'also after a restart')
  await server.kubectl('delete', 'serviceaccount', 'bot')
  assert.match(await refusal(bot(['get', 'namespaces'])), /must be logged in|Unauthorized/)
})

test('keeps roles and bindings as kubectl writes and shows them', async () => {
  assert.match(await server.kubectl('get', 'clusterroles'), /^NAME +CREATED AT\nadmin +20/)
  assert.match(await server.kubectl('describe', 'clusterrole', 'view'), /configmaps +\[\] +\[\] +\[get list watch\]/)
  assert.match(await server.kubectl('get', 'rolebindings', '-o', 'wide'), /devs +ClusterRole\/edit +\S+ +devs/)
  const manifest = JSON.stringify({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reader', namespace: 'default' },
    rules: [{ verbs: ['watch'], apiGroups: [''], resources: ['secrets'] }],
  })
  const reconciled = await kubectl(server.kubeconfig, ['auth', 'reconcile', '-f', '-'], { input: manifest })
  assert.match(reconciled, /reader reconciled/)
  assert.match(
    await refusal(server.kubectl('patch', 'rolebinding', 'joe', '--type=merge', '-p', '{"roleRef":{"name":"other"}}')),
    /roleRef: Invalid value: .*: cannot change roleRef/,
  )
})
