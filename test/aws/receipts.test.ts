/** Receipts with the services of AWS: a key that KMS seals, and Runs in DynamoDB, for several processes of a hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Run, RunContent } from '../../lib/foundations/kinds/run.ts'
import { keyIdOf, publicKeysIn, verifyReceipt } from '../../lib/foundations/rules/verify-receipt.ts'
import { receiptKeys } from '../../lib/hub/runs/receipt-keys.ts'
import { runCodec } from '../../lib/hub/runs/run-codec.ts'
import { receiptOf, signRuns } from '../../lib/hub/runs/sign-run.ts'
import { UnsealFailed } from '../../lib/platform/ports/keys.ts'
import { world } from './adapter-world.ts'

const content: RunContent = {
  unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app' },
  cause: { type: 'Source' },
  counts: { created: 1 },
  result: 'Succeeded',
  startedAt: '2026-11-28T12:00:00.000Z',
  finishedAt: '2026-11-28T12:00:01.000Z',
}
const place = { namespace: 'apps', name: 'kustomization-app-0mx0cyo00', startedAt: Date.parse(content.startedAt) }

test('one process signs a Run by a key that another serves; the key opens for its purpose alone', async () => {
  const { open } = await world()
  const [signer, server] = [open(), open()]
  const sign = signRuns(receiptKeys(signer), console)
  const signed = await sign(place, content)
  const body = await runCodec(signer.keys).encode(place, { ...content, ...(signed && { signed }) })
  const rest = { unit: 'Kustomization/app', repeats: 0, facts: '', expires: Date.now() + 1e9 }
  await signer.runs.add({ ...place, ...rest, body })

  const { signed: stored, ...read } = await runCodec(server.keys).decode(place, (await server.runs.get(place))!.body)
  const { namespace, name } = place
  const run = {
    ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Run', metadata: { namespace, name } },
    ...{ ...read, receipt: receiptOf(place, read, stored!) },
  } as Run
  const keys = receiptKeys(server)
  const served = async () => (await keys.list()).flatMap(({ publicKey }) => publicKeysIn(publicKey))
  const first = await served()
  assert.deepEqual(first.map(keyIdOf), [signed?.keyid])
  assert.equal(verifyReceipt(run, first).verified, true)
  assert.equal(verifyReceipt({ ...run, result: 'Failed' }, first).verified, false)

  const { keyId } = await keys.rotate()
  assert.deepEqual((await served()).map(keyIdOf), [keyId, signed?.keyid])
  assert.equal(verifyReceipt(run, await served()).verified, true)

  const record = await server.objects.get({
    group: 'keelson.dev',
    kind: 'ReceiptKeys',
    namespace: '',
    name: 'receipts',
  })
  const sealed = Buffer.from(record!.body, 'base64')
  const context = 'keelson.dev|ReceiptKeys||receipts'
  for (const purpose of ['bodies', 'signing-key', 'secrets'] as const)
    await assert.rejects(open().keys.open(sealed, context, { purpose }), UnsealFailed)
  await open().keys.open(sealed, context, { purpose: 'receipts' })
})
