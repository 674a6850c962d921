import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { KMSClient } from '@aws-sdk/client-kms'
import type { S3Client } from '@aws-sdk/client-s3'
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { SQSClient } from '@aws-sdk/client-sqs'

/** Where the services are and who asks; what is absent comes from the environment, as SDKs read it. */
export interface AwsAccess {
  readonly endpoint?: string
  readonly region?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** One client of each service for the whole process. All but the table's are loaded when they are first needed. */
export interface AwsClients {
  readonly dynamo: DynamoDBClient
  s3(): Promise<S3Client>
  sqs(): Promise<SQSClient>
  kms(): Promise<KMSClient>
  secretsManager(): Promise<SecretsManagerClient>
  close(): void
}

/**
 * A call that AWS does not answer is made anew, rather than waited for. What counts is silence, of the connection and at
 * any time: a large artifact may take longer. (The SDK's `requestTimeout` bounds the whole, and only warns.)
 */
const patienceOf = (silenceMs: number) => ({
  maxAttempts: 5,
  requestHandler: {
    connectionTimeout: 2000,
    socketTimeout: silenceMs,
    httpsAgent: { keepAlive: true, maxSockets: 200 },
    httpAgent: { keepAlive: true, maxSockets: 200 },
  },
})

/** `silenceMs` is how long AWS may say nothing before a call counts as not answered. */
export const awsClients = (access: AwsAccess = {}, silenceMs = 20_000): AwsClients => {
  const config = { ...access, ...patienceOf(silenceMs) }
  const opened: { destroy(): void }[] = []
  const once = <C extends { destroy(): void }>(open: () => Promise<C>): (() => Promise<C>) => {
    let client: Promise<C> | undefined
    return () => {
      client ??= open().then(made => {
        opened.push(made)
        return made
      })
      return client
    }
  }
  const dynamo = new DynamoDBClient(config)
  opened.push(dynamo)
  return {
    dynamo,
    s3: once(async () => new (await import('./clients/s3.ts')).S3Client(config)),
    sqs: once(async () => new (await import('./clients/sqs.ts')).SQSClient(config)),
    kms: once(async () => new (await import('./clients/kms.ts')).KMSClient(config)),
    secretsManager: once(async () => new (await import('./clients/secrets-manager.ts')).SecretsManagerClient(config)),
    close: () => {
      for (const client of opened) client.destroy()
    },
  }
}
