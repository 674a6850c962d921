import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveCommand } from '../../../lib/cli/commands/serve.ts'
import { settingsOf } from '../../../lib/cli/setting-flags.ts'
import type { Terminal } from '../../../lib/cli/terminal.ts'
import { defaultSettings } from '../../../lib/compose/settings/settings.ts'

const settings = (...args: string[]) => {
  const command = serveCommand({} as Terminal)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  command.parseOptions(args)
  return settingsOf(command.opts())
}

const changed = (...args: string[]) =>
  Object.fromEntries(
    Object.entries(settings(...args)).filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(defaultSettings[name as keyof typeof defaultSettings]),
    ),
  )

test('without flags a hub has the default settings', () => {
  assert.deepEqual(settings(), defaultSettings)
})

test('RS-107 the default account may come from the environment', () => {
  const { options } = serveCommand({} as Terminal)
  const option = options.find(({ long }) => long === '--default-service-account')
  assert.equal(option?.envVar, 'DEFAULT_SERVICE_ACCOUNT')
})

test('KS-270 serve takes the settings of decryption', () => {
  assert.deepEqual(changed('--sops-age-secret', 'age', '--sops-vault-configmap', 'vaults', '--no-verify-sops-mac'), {
    sopsAgeSecret: { namespace: 'keelson-system', name: 'age' },
    sopsVaultConfigMap: { namespace: 'keelson-system', name: 'vaults' },
    verifySopsMac: false,
  })
})

test('flags set what their names say, and lists may be given in one or in several', () => {
  assert.deepEqual(
    changed(
      ...['--no-cross-namespace-refs', '--no-strict-substitution', '--metadata-service', '--concurrent-ssa=4'],
      ...['--requeue-dependency', '1m', '--override-manager', 'a,b', '--override-manager', 'c'],
    ),
    {
      noCrossNamespaceRefs: true,
      strictSubstitution: false,
      metadataService: true,
      concurrentApplies: 4,
      requeueDependencyMs: 60_000,
      overriddenManagers: ['a', 'b', 'c'],
    },
  )
})

test("Flux's feature gates are settings of the hub, the later the stronger", () => {
  assert.deepEqual(changed('--feature-gates', 'StrictPostBuildSubstitutions=false, DisableFailFastBehavior=true'), {
    strictSubstitution: false,
    failFast: false,
  })
  const twice = [
    '--feature-gates=MigrateAPIVersion=true,ExternalArtifact=true',
    '--feature-gates=MigrateAPIVersion=false',
  ]
  assert.deepEqual(changed(...twice), { externalArtifact: true })
})

test('IM-063 the gates of image-automation-controller are on, except that of sparse checkouts, which changes nothing', () => {
  const gates = (value: boolean) =>
    ['GitForcePushBranch', 'GitShallowClone', 'GitAllBranchReferences', 'GitSparseCheckout']
      .map(gate => `${gate}=${value}`)
      .join()
  assert.deepEqual(changed('--feature-gates', gates(true)), {})
  assert.deepEqual(changed('--feature-gates', gates(false)), {
    gitForcePush: false,
    gitShallowClone: false,
    gitAllBranches: false,
  })
})

test('a value of another form is refused with the form that is expected', () => {
  assert.throws(() => settings('--requeue-dependency', 'soon'), /Expected a duration such as 90s or 1m30s/)
  assert.throws(
    () => settings('--feature-gates', 'Nothing=true'),
    /the names are ExternalArtifact|the names are .*ExternalArtifact/,
  )
  assert.throws(() => settings('--feature-gates', 'ExternalArtifact'), /Expected name=value/)
  assert.throws(() => settings('--watch-configs-label-selector', 'a=b=c'), /Expected a label selector/)
})
