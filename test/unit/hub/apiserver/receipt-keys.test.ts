/** Public keys of receipts, at an address of the API. */
import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { keyIdOf } from '../../../../lib/foundations/rules/verify-receipt.ts'
import { receiptKeys } from '../../../../lib/hub/runs/receipt-keys.ts'
import { hubWorld } from '../store/world.ts'
import { apiWorld } from './world.ts'

const world = async () => {
  const { platform, clock } = await hubWorld()
  return apiWorld({ receiptKeys: receiptKeys({ ...platform, clock }) })
}

test('the keys are listed, and each is served in PEM at its ID; a POST adds one that comes first', async () => {
  const { send } = await world()
  const [first, ...none] = (await send('GET', '/receipts/keys')).json.keys
  assert.deepEqual(none, [])
  const pem = await send('GET', `/receipts/keys/${first.keyId}`)
  assert.equal(pem.text, first.publicKey)
  assert.equal(keyIdOf(createPublicKey(pem.text)), first.keyId)
  const added = await send('POST', '/receipts/keys')
  assert.equal(added.status, 201)
  const { keys } = (await send('GET', '/receipts/keys')).json
  assert.deepEqual(
    keys.map(({ keyId }: { keyId: string }) => keyId),
    [added.json.keyId, first.keyId],
  )
  assert.equal((await send('GET', `/receipts/keys/${first.keyId}`)).text, first.publicKey)
  assert.equal((await send('GET', '/receipts/keys.pem')).text, `${added.json.publicKey}${first.publicKey}`)
  assert.doesNotMatch(JSON.stringify([keys, added.json]), /PRIVATE|privateKey/)
})

test('unknown keys are not found, and nothing else can be done with them', async () => {
  const { send } = await world()
  const statuses = await Promise.all(
    (
      [
        ['GET', '/receipts/keys/0123456789abcdef'],
        ['GET', '/receipts'],
        ['POST', '/receipts/keys/0123456789abcdef'],
        ['DELETE', '/receipts/keys'],
      ] as const
    ).map(async ([method, path]) => (await send(method, path)).status),
  )
  assert.deepEqual(statuses, [404, 404, 405, 405])
})
