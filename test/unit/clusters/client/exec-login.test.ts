import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eksLoginOf } from '../../../../lib/clusters/client/exec-login.ts'
import { portableKubeconfig } from '../../../../lib/clusters/client/portable-kubeconfig.ts'

const login = (command: string, args: string[], env?: object[]) => eksLoginOf({ command, args, env }, 'exec')

test('KS-221 reads what aws eks update-kubeconfig writes', () => {
  const args = ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'prod', '--output', 'json']
  assert.deepEqual(login('aws', args), { clusterName: 'prod', region: 'eu-west-1' })
  assert.deepEqual(
    login('/usr/local/bin/aws', ['eks', 'get-token', '--cluster-id=7', '--role-arn=arn:aws:iam::1:role/r']),
    {
      clusterName: '7',
      roleArn: 'arn:aws:iam::1:role/r',
    },
  )
  const env = [
    { name: 'AWS_STS_REGIONAL_ENDPOINTS', value: 'regional' },
    { name: 'AWS_DEFAULT_REGION', value: 'us-east-2' },
  ]
  assert.deepEqual(login('aws', ['eks', 'get-token', '--cluster-name', 'prod'], env), {
    clusterName: 'prod',
    region: 'us-east-2',
  })
})

test('KS-221 reads what aws-iam-authenticator is called with', () => {
  const args = ['token', '-i', 'prod', '-r', 'arn:aws:iam::1:role/r', '-e', 'x', '--session-name', 's', '--cache']
  assert.deepEqual(login('aws-iam-authenticator', args), {
    clusterName: 'prod',
    roleArn: 'arn:aws:iam::1:role/r',
    externalId: 'x',
    sessionName: 's',
  })
})

test('refuses what it would otherwise leave out', () => {
  const refused: [string, string[], RegExp, object[]?][] = [
    [
      'aws',
      ['eks', 'get-token', '--cluster-name', 'p', '--profile', 'me'],
      /--profile refers to a profile of another machine/,
    ],
    ['aws', ['sts', 'get-caller-identity', '--region', 'x'], /only `eks get-token` is supported/],
    ['aws', ['eks', 'get-token'], /--cluster-name is missing/],
    ['aws', ['eks', 'get-token', '--cluster-name'], /--cluster-name has no value/],
    ['aws', ['eks', 'get-token', '--endpoint-url', 'https://evil'], /--endpoint-url is not supported/],
    ['aws', ['eks', 'get-token', '--cluster-name', 'p'], /AWS_PROFILE is not used/, [{ name: 'AWS_PROFILE' }]],
    ['sh', ['-c', 'id'], /"sh" is not supported: programs are not run/],
    ['constructor', [], /"constructor" is not supported/],
  ]
  for (const [command, args, message, env] of refused) assert.throws(() => login(command, args, env), message)
})

test('keeps the login in a portable kubeconfig', () => {
  const exec = { command: 'aws', args: ['eks', 'get-token', '--cluster-name', 'prod', '--region', 'eu-west-1'] }
  const text = JSON.stringify({
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server: 'https://x.eks.amazonaws.com' } }],
    users: [{ name: 'a', user: { exec } }],
  })
  const { users } = JSON.parse(portableKubeconfig(text, {}).text) as { users: { user: { exec: typeof exec } }[] }
  assert.deepEqual(users[0]!.user.exec, { apiVersion: 'client.authentication.k8s.io/v1beta1', ...exec })
})
