import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shown } from '../world.ts'
import { onStage } from './scene.ts'

/** Nothing reconciles it here, so it is never ready. */
const unready =
  'apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: unready}\nspec: {interval: 1m, url: "https://git.example/x"}\n'

const refused = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: refused}\ndata: {x: [1]}\n'

test('HR-079 HR-123 a rollback that never gets ready is recorded with the version that it leaves, which Helm writes once more', () =>
  onStage({}, async ({ publish, release, read, advance }) => {
    await publish('1.0.0', 'app', { 'app/templates/unready.yaml': unready })
    await release('app', {
      chartRef: { kind: 'HelmChart', name: 'app' },
      timeout: '1m',
      install: { disableWait: true },
      upgrade: { remediation: { retries: 0, remediateLastFailure: true } },
    })
    await publish('1.1.0', 'app', { 'app/templates/refused.yaml': refused })
    await advance(3 * 60_000)
    const object = await read('app')
    assert.match(shown(object).join('\n'), /Remediated=False RollbackFailed: .* failed: release app failed: timeout/)
    assert.deepEqual(
      object?.status?.history?.map(({ version, status, action }) => `${version} ${status} ${action}`),
      ['3 failed rollback', '2 failed rollback', '1 deployed undefined'],
    )
  }))
