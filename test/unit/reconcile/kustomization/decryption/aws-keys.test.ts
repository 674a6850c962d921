import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lock } from '../../../../bed/encrypt-sops.ts'
import { putSecret } from './decryption-scene.ts'
import { account, awsKeys, decrypted, fromSecret, withKeyServers } from './key-servers.ts'

test('KS-238 AWS KMS: keys from the Secret, with the encryption context of the file', async () => {
  await withKeyServers('kms', {}, async (scene, { asked }) => {
    await putSecret(scene, 'keys', { 'sops.aws-kms': awsKeys })
    await decrypted(scene, fromSecret)
    assert.equal(asked.at(-1)!.headers['x-amz-security-token'], 't')
  })
})

test('KS-262 KS-266 AWS KMS: the role of this process when there is no Secret', async () => {
  const environment = { AWS_ACCESS_KEY_ID: 'ASIAOWN', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' }
  await withKeyServers('kms', { environment, servers: { awsKeys: ['ASIAOWN'] } }, scene => decrypted(scene))
})

test('KS-267 AWS KMS: SOPS_KMS_ARN is for encrypting: what decrypts is the key that the file names, as with sops', async () => {
  const environment = {
    AWS_ACCESS_KEY_ID: 'AKIATEAM',
    AWS_SECRET_ACCESS_KEY: 's',
    SOPS_KMS_ARN: 'arn:aws:kms:us-east-1:1:key/other',
  }
  await withKeyServers('kms', { environment }, scene => decrypted(scene))
})

test('KS-266 AWS KMS: a mounted ~/.aws directory', async () => {
  const files = { '/home/keelson/.aws/credentials': '[default]\naws_access_key_id=AKIAFILE\naws_secret_access_key=s\n' }
  const servers = { awsKeys: ['AKIAFILE'] }
  await withKeyServers('kms', { environment: { HOME: '/home/keelson' }, files, servers }, scene => decrypted(scene))
})

test('KS-263 AWS KMS: the role and the profile that the file names', async () => {
  const arn = 'arn:aws:iam::111122223333:role/sops'
  const files = { '/aws': '[team]\naws_access_key_id=AKIAPROFILE\naws_secret_access_key=s\n' }
  const process = {
    environment: { AWS_SHARED_CREDENTIALS_FILE: '/aws' },
    files,
    servers: { awsKeys: ['ASIAROLE'], awsRole: { arn } },
  }
  const named =
    (lock: Lock): Lock =>
    async dataKey => {
      const [type, entry] = await lock(dataKey)
      return [type, { ...entry, role: arn, aws_profile: 'team' }]
    }
  await withKeyServers(
    'kms',
    process,
    async (scene, { asked }) => {
      await decrypted(scene)
      assert.match(String(asked[0]!.headers.authorization), /Credential=AKIAPROFILE\//)
    },
    named,
  )
})

test('KS-258 AWS KMS: a ServiceAccount takes its role with its name as external ID', async () => {
  const arn = 'arn:aws:iam::111122223333:role/team'
  const environment = { AWS_ACCESS_KEY_ID: 'ASIAOWN', AWS_SECRET_ACCESS_KEY: 's' }
  const servers = { awsKeys: ['ASIAROLE'], awsRole: { arn, externalId: 'system:serviceaccount:default:decryptor' } }
  await withKeyServers('kms', { environment, servers }, async scene => {
    await account(scene, { 'eks.amazonaws.com/role-arn': arn })
    await decrypted(scene, { serviceAccountName: 'decryptor' })
  })
})

test('KS-258 AWS KMS: a ServiceAccount shows its token where AWS can verify it', async () => {
  const arn = 'arn:aws:iam::111122223333:role/team'
  const asked: unknown[] = []
  const process = {
    servers: { awsKeys: ['ASIAROLE'], awsRole: { arn } },
    issueToken: async (...order: unknown[]) => {
      asked.push(order)
      return 'a.b.c'
    },
  }
  await withKeyServers('kms', process, async (scene, servers) => {
    await account(scene, { 'eks.amazonaws.com/role-arn': arn })
    await decrypted(scene, { serviceAccountName: 'decryptor' })
    assert.deepEqual(asked, [[{ namespace: 'default', name: 'decryptor' }, 'sts.amazonaws.com']])
    assert.equal(new URLSearchParams(servers.asked[0]!.body).get('WebIdentityToken'), 'a.b.c')
  })
})
