import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveCommand } from '../../../lib/cli/serve.ts'
import type { Terminal } from '../../../lib/cli/terminal.ts'

test('RS-107 the default account may come from the environment', () => {
  const { options } = serveCommand({} as Terminal)
  const option = options.find(({ long }) => long === '--default-service-account')
  assert.equal(option?.envVar, 'DEFAULT_SERVICE_ACCOUNT')
})

test('KS-270 serve takes the settings of decryption', () => {
  const command = serveCommand({} as Terminal).exitOverride()
  command.parseOptions(['--sops-age-secret', 'age', '--sops-vault-configmap', 'vaults', '--no-verify-sops-mac'])
  const { sopsAgeSecret, sopsVaultConfigmap, verifySopsMac, objectLevelWorkloadIdentity } = command.opts()
  assert.deepEqual(
    { sopsAgeSecret, sopsVaultConfigmap, verifySopsMac, objectLevelWorkloadIdentity },
    { sopsAgeSecret: 'age', sopsVaultConfigmap: 'vaults', verifySopsMac: false, objectLevelWorkloadIdentity: false },
  )
})
