import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent, fetch as undiciFetch } from 'undici'
import { decrypt } from '../../lib/engines/sops/decrypt.ts'
import { kmsDecrypt } from '../../lib/platform/cloud/aws/kms.ts'
import { CloudError } from '../../lib/platform/cloud/cloud-error.ts'
import type { Fetch } from '../../lib/platform/cloud/send-request.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { type AwsEmulator, awsEmulator, certificateOf } from '../bed/aws/emulator.ts'
import { encryptSopsYaml, type Lock } from '../bed/encrypt-sops.ts'

test('KS-262 KS-263 decrypts with KMS and its encryption context, where signatures are checked', async () => {
  const emulator = await awsEmulator({ auth: true })
  const kms = kmsOf(emulator)
  const { KeyMetadata } = await kms<{ KeyMetadata: { Arn: string } }>('CreateKey', {})
  const arn = KeyMetadata.Arn
  const context = { team: 'a' }
  const kmsLock: Lock = async dataKey => {
    const plain = Buffer.from(dataKey).toString('base64')
    const order = { KeyId: arn, Plaintext: plain, EncryptionContext: context }
    const { CiphertextBlob: enc } = await kms<{ CiphertextBlob: string }>('Encrypt', order)
    return ['kms', { arn, context, created_at: '2026-01-01T00:00:00Z', enc, aws_profile: '' }]
  }
  const content = Buffer.from(await encryptSopsYaml({ a: 'one' }, { locks: [kmsLock] }))

  const dispatcher = new Agent({ connect: { ca: certificateOf(emulator) } })
  const fetch: Fetch = (url, init) => undiciFetch(url, { ...init, dispatcher })
  const environment = { AWS_ENDPOINT_URL: emulator.endpoint }
  const ports = { fetch, clock: { now: () => Date.now() }, environment }
  const decryptAs = (accessKeyId: string) =>
    decrypt(content, {
      format: 'yaml',
      services: {
        kms: key =>
          kmsDecrypt(ports, async () => ({ ...emulator.credentials, accessKeyId }), {
            ...key,
            ciphertext: key.encrypted,
          }),
      },
    })
  assert.equal(String(Buffer.from(await decryptAs(emulator.credentials.accessKeyId))), 'a: one\n')
  await assert.rejects(decryptAs('AKIAIOSFODNN7EXAMPLE'), /KMS|AWS: Decrypt: 127\.0\.0\.1:\d+ returned 4\d\d/)
  const identity = async () => emulator.credentials
  const Plaintext = Buffer.alloc(32).toString('base64')
  const { CiphertextBlob } = await kms<{ CiphertextBlob: string }>('Encrypt', {
    KeyId: arn,
    Plaintext,
    EncryptionContext: context,
  })
  const elsewhere = { arn, ciphertext: CiphertextBlob, context: { team: 'b' } }
  await assert.rejects(kmsDecrypt(ports, identity, elsewhere), CloudError)
  await dispatcher.close()
})

/** Operations of KMS as the account's root. */
const kmsOf = (emulator: AwsEmulator) => {
  const send = awsRequests(emulator)
  return async <T>(operation: string, order: object): Promise<T> => {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` }
    const request = { service: 'kms', method: 'POST', path: '/', headers, body: JSON.stringify(order) }
    const { status, text } = await send(request)
    assert.equal(status, 200, text)
    return JSON.parse(text) as T
  }
}
