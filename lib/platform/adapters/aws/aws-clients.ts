import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { KMSClient } from '@aws-sdk/client-kms'
import type { S3Client } from '@aws-sdk/client-s3'
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { once } from '../../../foundations/rules/once.ts'

/** Endpoint, region and credentials; absent ones come from the environment, as in the AWS SDKs. */
export interface AwsAccess {
  readonly endpoint?: string
  readonly region?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** One client per service for the whole process. All except DynamoDB's are loaded when first needed. */
export interface AwsClients {
  readonly dynamo: DynamoDBClient
  s3(): Promise<S3Client>
  sqs(): Promise<SQSClient>
  kms(): Promise<KMSClient>
  secretsManager(): Promise<SecretsManagerClient>
  close(): void
}

/**
 * Retries a call once the connection has been silent for too long, at any point: a large artifact may take longer as a whole. (The SDK's
 * `requestTimeout` limits the whole call, and only warns.)
 */
const timeoutSettings = (silenceMs: number) => ({
  maxAttempts: 5,
  retryMode: 'standard',
  requestHandler: {
    connectionTimeout: 2000,
    socketTimeout: silenceMs,
    httpsAgent: { keepAlive: true, maxSockets: 200 },
    httpAgent: { keepAlive: true, maxSockets: 200 },
  },
})

/** `silenceMs` is how long a connection may be silent before its call is retried. */
export const awsClients = (access: AwsAccess = {}, silenceMs = 20_000): AwsClients => {
  const config = { ...access, ...timeoutSettings(silenceMs) }
  const opened: { destroy(): void }[] = []
  const loadOnce = <C extends { destroy(): void }>(open: () => Promise<C>): (() => Promise<C>) =>
    once(async () => {
      const client = await open()
      opened.push(client)
      return client
    })
  const dynamo = new DynamoDBClient(config)
  opened.push(dynamo)
  return {
    dynamo,
    s3: loadOnce(async () => new (await import('./clients/s3.ts')).S3Client(config)),
    sqs: loadOnce(async () => new (await import('./clients/sqs.ts')).SQSClient(config)),
    kms: loadOnce(async () => new (await import('./clients/kms.ts')).KMSClient(config)),
    secretsManager: loadOnce(
      async () => new (await import('./clients/secrets-manager.ts')).SecretsManagerClient(config),
    ),
    close: () => {
      for (const client of opened) client.destroy()
    },
  }
}
