import assert from 'node:assert/strict'
import type { Lock } from '../encrypt-sops.ts'
import { awsRequests } from './aws-request.ts'
import type { AwsEmulator } from './emulator.ts'

/** A key of an emulated KMS. */
export interface KmsKey {
  readonly arn: string
  /** Encrypts as the account's root; the result is in base64. */
  encrypt(plain: Uint8Array, context: Readonly<Record<string, string>>): Promise<string>
  /** Encrypts data keys of SOPS, with this encryption context. */
  lock(context: Readonly<Record<string, string>>): Lock
}

export const kmsKey = async (emulator: AwsEmulator): Promise<KmsKey> => {
  const send = awsRequests(emulator)
  const kms = async <T>(operation: string, order: object): Promise<T> => {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` }
    const request = { service: 'kms', method: 'POST', path: '/', headers, body: JSON.stringify(order) }
    const { status, text } = await send(request)
    assert.equal(status, 200, text)
    return JSON.parse(text) as T
  }
  const { KeyMetadata } = await kms<{ KeyMetadata: { Arn: string } }>('CreateKey', {})
  const arn = KeyMetadata.Arn
  const encrypt: KmsKey['encrypt'] = async (plain, context) => {
    const order = { KeyId: arn, Plaintext: Buffer.from(plain).toString('base64'), EncryptionContext: context }
    return (await kms<{ CiphertextBlob: string }>('Encrypt', order)).CiphertextBlob
  }
  const lock: KmsKey['lock'] = context => async dataKey => {
    const enc = await encrypt(dataKey, context)
    return ['kms', { arn, context, created_at: '2026-01-01T00:00:00Z', enc, aws_profile: '' }]
  }
  return { arn, encrypt, lock }
}
