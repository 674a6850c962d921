import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { test } from 'node:test'
import { CommandFailed } from '../../../lib/cli/command-failed.ts'
import { withExecCredential } from '../../../lib/cli/exec-plugin.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const printing = (script: string): string => {
  const folder = tempDir({ plugin: `#!/bin/sh\n${script}\n` })
  chmodSync(`${folder}/plugin`, 0o755)
  return folder
}

const config = (exec: object) =>
  JSON.stringify({
    'current-context': 'hub',
    contexts: [
      { name: 'hub', context: { cluster: 'hub', user: 'me' } },
      { name: 'other', context: { cluster: 'hub', user: 'you' } },
    ],
    users: [
      { name: 'me', user: { exec } },
      { name: 'you', user: { token: 'yours' } },
    ],
  })

const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', args: ['--hub', 'keelson'] }
const env = { PATH: process.env.PATH }

const usersIn = (text: string) => JSON.parse(text).users

test('puts the token of the plugin in its place, and leaves all others alone', () => {
  const folder = printing(
    `echo "{\\"status\\": {\\"token\\": \\"$* $REGION $(echo "$KUBERNETES_EXEC_INFO" | grep -c client.authentication.k8s.io/v1)\\"}}"`,
  )
  const withRegion = { ...exec, env: [{ name: 'REGION', value: 'eu-west-1' }] }
  assert.deepEqual(usersIn(withExecCredential(config(withRegion), { folder, env })), [
    { name: 'me', user: { token: '--hub keelson eu-west-1 1' } },
    { name: 'you', user: { token: 'yours' } },
  ])
})

test('takes client certificates too', () => {
  const folder = printing(`echo '{"status": {"clientCertificateData": "cert", "clientKeyData": "key"}}'`)
  const [me] = usersIn(withExecCredential(config(exec), { folder, env }))
  assert.deepEqual(me.user, { 'client-certificate-data': 'Y2VydA==', 'client-key-data': 'a2V5' })
})

test('runs nothing for a context without a plugin', () => {
  const text = config({ command: '/does/not/exist' })
  assert.equal(withExecCredential(text, { context: 'other', folder: '/', env }), text)
  assert.equal(withExecCredential('', { folder: '/', env }), '')
})

test('says what is wrong with a plugin, and how to get it, but not what it printed', () => {
  const failure = (folder: string, more: object = {}) => {
    try {
      withExecCredential(config({ ...exec, ...more }), { folder, env })
      return 'it worked'
    } catch (error) {
      assert.ok(error instanceof CommandFailed)
      return error.message
    }
  }
  assert.match(
    failure(tempDir(), { installHint: 'get it at example.com' }),
    /failed to start: .*ENOENT\nget it at example\.com$/,
  )
  assert.equal(failure(printing('exit 3')), "the kubeconfig's plugin ./plugin exited with code 3")
  assert.equal(failure(printing('echo secret')), "the kubeconfig's plugin ./plugin printed no credentials")
  assert.equal(failure(printing('echo null')), "the kubeconfig's plugin ./plugin printed no credentials")
})
