import type { Account, Credentials } from './account.ts'

export interface Targets {
  readonly table: string
  readonly bucket: string
  readonly kmsKey: string
  readonly stages: readonly string[]
  /** Functions that others may want to invoke. */
  readonly invoked: readonly string[]
  functionOf(name: string): string
  urlOf(queue: string): string
  arnOf(secretName: string): string
}

/** All that a function of any hub could want to do, and some of what none may; each tells how it ended. */
export function attemptsOf(
  account: Account,
  role: Credentials,
  { table, bucket, kmsKey, stages, invoked, functionOf, urlOf, arnOf }: Targets,
): Record<string, () => Promise<string>> {
  const dynamo = (operation: string, more: object = {}) =>
    account.attempt(role, 'dynamodb', `DynamoDB_20120810.${operation}`, { TableName: table, ...more })
  const kms = (operation: string, more: object = {}) =>
    account.attempt(role, 'kms', `TrentService.${operation}`, { KeyId: kmsKey, ...more })
  const sqs = (operation: string, stage: string, more: object = {}) =>
    account.attempt(role, 'sqs', `AmazonSQS.${operation}`, { QueueUrl: urlOf(stage), ...more })
  /** Of an item that is not there. */
  const read = (pk: string) => dynamo('GetItem', { Key: { pk: { S: pk }, sk: { S: 'none' } } })
  const write = (pk: string) =>
    dynamo('DeleteItem', { Key: { pk: { S: pk }, sk: { S: 'none' } }, ConditionExpression: 'attribute_exists(pk)' })
  const open = (purpose: string, more: object = {}) => {
    const EncryptionContext = { 'keelson:hub': 'keelson', 'keelson:purpose': purpose, ...more }
    return kms('Decrypt', { CiphertextBlob: 'AAAA', EncryptionContext })
  }
  const secret = (name: string) =>
    account.attempt(role, 'secretsmanager', 'secretsmanager.GetSecretValue', { SecretId: arnOf(name) })
  const s3 = (method: string, path: string) => account.attemptS3(role, method, `/${bucket}/${path}`)
  const due = { KeyConditionExpression: 'duePk = :due', ExpressionAttributeValues: { ':due': { S: 'none' } } }

  return {
    'read any item': () => read('none'),
    'read a Secret': () => read('head#Secret.#0'),
    'read a Receiver': () => read('head#Receiver.notification.toolkit.fluxcd.io#0'),
    'write a Receiver': () => write('head#Receiver.notification.toolkit.fluxcd.io#0'),
    'write a source': () => write('head#GitRepository.source.toolkit.fluxcd.io#0'),
    'write a role': () => write('head#ClusterRole.rbac.authorization.k8s.io#0'),
    due: () => dynamo('Query', { IndexName: 'due', ...due }),
    'scan the table': () => dynamo('Scan'),
    'delete the table': () => dynamo('DeleteTable'),
    'decrypt anything': () => kms('Decrypt', { CiphertextBlob: 'AAAA' }),
    'open Secrets': () => open('secrets', { 'keelson:namespace': 'default' }),
    'open what proves webhooks': () => open('receivers', { 'keelson:namespace': 'default' }),
    'open builds': () => open('builds'),
    'open bodies': () => open('bodies'),
    'open the signing key': () => open('signing-key'),
    'open the keys of receipts': () => open('receipts'),
    'open for another hub': () => open('secrets', { 'keelson:hub': 'other' }),
    'delete the key': () => kms('ScheduleKeyDeletion'),
    'get artifact': () => s3('GET', 'artifacts/none'),
    'put artifact': () => s3('PUT', 'artifacts/none'),
    'delete artifact': () => s3('DELETE', 'artifacts/none'),
    'put elsewhere': () => s3('PUT', 'none'),
    'own secret': () => secret('keelson/keelson/x'),
    'another secret': () => secret('x'),
    'make the queue of a runner': () =>
      account.attempt(role, 'sqs', 'AmazonSQS.CreateQueue', {
        QueueName: 'keelson-runner-none',
        Attributes: { MessageRetentionPeriod: 'none' },
      }),
    'wait for a runner': () => sqs('ReceiveMessage', 'runner-none'),
    'wake a runner': () => sqs('SendMessage', 'runner-none', { MessageBody: 'news' }),
    'delete the queue of a runner': () => sqs('DeleteQueue', 'runner-none'),
    ...Object.fromEntries(invoked.map(name => [`invoke ${name}`, () => account.attemptInvoke(role, functionOf(name))])),
    ...Object.fromEntries(
      stages.flatMap(stage => [
        [`take ${stage}`, () => sqs('ReceiveMessage', stage, { VisibilityTimeout: 0 })],
        [`send ${stage}`, () => sqs('SendMessage', stage, { MessageBody: '{}', DelaySeconds: 900 })],
        [`purge ${stage}`, () => sqs('PurgeQueue', stage)],
      ]),
    ),
  }
}

/** What is built is handed on, a source is told of an artifact that is damaged, and nobody else hears of it. */
export const isOfBuild = (sending: string): boolean =>
  ['send source', 'send build', 'send apply', 'send notify'].includes(sending)
