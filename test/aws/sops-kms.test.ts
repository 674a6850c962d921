import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent, fetch as undiciFetch } from 'undici'
import { decrypt } from '../../lib/engines/sops/decrypt.ts'
import { kmsDecrypt } from '../../lib/platform/cloud/aws/kms.ts'
import { CloudError } from '../../lib/platform/cloud/cloud-error.ts'
import type { Fetch } from '../../lib/platform/cloud/send-request.ts'
import { awsEmulator, certificateOf } from '../bed/aws/emulator.ts'
import { kmsKey } from '../bed/aws/kms-key.ts'
import { encryptSopsYaml } from '../bed/encrypt-sops.ts'

test('KS-262 KS-263 decrypts with KMS and its encryption context, where signatures are checked', async () => {
  const emulator = await awsEmulator({ auth: true })
  const key = await kmsKey(emulator)
  const content = Buffer.from(await encryptSopsYaml({ a: 'one' }, { locks: [key.lock({ team: 'a' })] }))

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
  const ciphertext = await key.encrypt(Buffer.alloc(32), { team: 'a' })
  const elsewhere = { arn: key.arn, ciphertext, context: { team: 'b' } }
  await assert.rejects(kmsDecrypt(ports, identity, elsewhere), CloudError)
  await dispatcher.close()
})
