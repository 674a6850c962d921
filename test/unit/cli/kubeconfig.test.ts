import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { CommandFailed } from '../../../lib/cli/command-failed.ts'
import { kubeconfigCommand } from '../../../lib/cli/commands/kubeconfig.ts'
import { tokenCommand } from '../../../lib/cli/commands/token.ts'
import type { Terminal } from '../../../lib/cli/terminal.ts'
import { readStsToken } from '../../../lib/hub/apiserver/authentication/sts-token.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const run = async (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string[]> => {
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  const terminal: Terminal = {
    action: say,
    waiting: say,
    success: say,
    failure: say,
    print: say,
    together: print => print(),
  }
  await kubeconfigCommand(env, terminal).parseAsync(args, { from: 'user' })
  return said
}

const region = ['--region', 'eu-west-1']
const url = ['--url', 'https://abc.lambda-url.eu-west-1.on.aws/']

test('adds the hub to the kubeconfig that kubectl would read, without a secret in it', async () => {
  const home = tempDir()
  const file = join(home, '.kube', 'config')
  assert.deepEqual(await run({ HOME: home }, ...region, ...url), [`context keelson added in ${file}`])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(parse(readFileSync(file, 'utf8')), {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'keelson', cluster: { server: 'https://abc.lambda-url.eu-west-1.on.aws' } }],
    users: [
      {
        name: 'keelson',
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: process.execPath,
            args: [process.argv[1], 'token', '--hub', 'keelson', '--region', 'eu-west-1'],
            interactiveMode: 'IfAvailable',
            provideClusterInfo: false,
          },
        },
      },
    ],
    contexts: [{ name: 'keelson', context: { cluster: 'keelson', user: 'keelson' } }],
    'current-context': 'keelson',
  })
  assert.deepEqual(await run({ HOME: home }, ...region, ...url), [`context keelson updated in ${file}`])
})

test('requests tokens with the AWS CLI if configured, as the given role and profile', async () => {
  const options = [
    '--hub',
    'prod',
    '--exec',
    'aws',
    '--role-arn',
    'arn:aws:iam::111122223333:role/ops',
    '--profile',
    'work',
  ]
  const [printed = ''] = await run({}, ...region, ...url, ...options, '--dry-run')
  const { users } = parse(printed) as { users: [{ user: { exec: unknown } }] }
  assert.deepEqual(users[0].user.exec, {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    command: 'aws',
    args: [
      ...['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'prod', '--output', 'json'],
      ...['--role-arn', 'arn:aws:iam::111122223333:role/ops'],
    ],
    env: [{ name: 'AWS_PROFILE', value: 'work' }],
    interactiveMode: 'IfAvailable',
    provideClusterInfo: false,
  })
})

test('writes where a link points to, and keeps the rights of the file', async () => {
  const home = tempDir({ 'real/config': '' })
  const [link, real] = [join(home, 'config'), join(home, 'real/config')]
  symlinkSync(real, link)
  chmodSync(real, 0o640)
  await run({ KUBECONFIG: `:${link}:/nowhere` }, ...region, ...url, '--alias', 'other')
  assert.equal(statSync(real).mode & 0o777, 0o640)
  assert.match(readFileSync(real, 'utf8'), /current-context: other/)
})

test('leaves a file alone that it does not understand, and says so', async () => {
  const home = tempDir()
  mkdirSync(join(home, '.kube'))
  const file = join(home, '.kube', 'config')
  writeFileSync(file, 'kind: Pod\n')
  await assert.rejects(run({ HOME: home }, ...region, ...url), {
    message: `cannot add the hub to ${file}: line 1: kind must be Config`,
  })
  assert.equal(readFileSync(file, 'utf8'), 'kind: Pod\n')
})

test('wants to know the region, and an address that begins with https', async () => {
  await assert.rejects(run({}, ...url, '--dry-run'), CommandFailed)
  await assert.rejects(run({}, ...region, '--url', 'http://hub', '--dry-run'), {
    message: 'http://hub is not the address of a hub: it must begin with https://',
  })
})

test('makes tokens that a hub of that region reads, by the credentials of the environment', async t => {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'] as const
  const before = names.map(name => [name, process.env[name]] as const)
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  for (const name of names) delete process.env[name]
  process.env.AWS_ACCESS_KEY_ID = 'AKIDEXAMPLE'
  process.env.AWS_SECRET_ACCESS_KEY = 'secret'
  let printed = ''
  const output = { write: (text: string) => (printed += text) } as unknown as NodeJS.WritableStream
  const asked = { KUBERNETES_EXEC_INFO: '{"apiVersion":"client.authentication.k8s.io/v1beta1"}' }
  await tokenCommand(asked, output).parseAsync(['--hub', 'prod', ...region], { from: 'user' })
  const { status, ...rest } = JSON.parse(printed)
  assert.deepEqual(rest, { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1beta1', spec: {} })
  const { expiresAt } = readStsToken(status.token, 'https://sts.eu-west-1.amazonaws.com', Date.now())
  const leftMs = expiresAt - Date.parse(status.expirationTimestamp)
  assert.ok(leftMs > 58_000 && leftMs < 62_000, `kubectl asks for another token ${leftMs} ms before the end`)
})
