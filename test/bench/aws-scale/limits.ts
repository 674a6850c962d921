/**
 * What AWS allows (us-east-1, November 2026, on demand), each with its page. An account may have less at first, and most can be raised.
 */
export const limits = {
  /** docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design */
  partition: { write: 1000, read: 3000 },
  /** Concurrent environments of an account and region; new accounts have 10. docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits */
  accountConcurrency: 1000,
  /** More environments of a function each ten seconds. docs.aws.amazon.com/lambda/latest/dg/scaling-behavior */
  environmentsPer10s: 1000,
  /** Pollers of a queue: how many there are at first, and more of them a minute. docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling */
  pollers: { first: 5, perMinute: 300 },
  /** Messages that were received and not deleted. docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages */
  inFlight: 120_000,
  /** GETs a second below a prefix. docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance */
  s3Gets: 5500,
  /** Cryptographic operations a second with symmetric keys; other regions have from 5,500 on. docs.aws.amazon.com/kms/latest/developerguide/requests-per-second */
  kms: 10_000,
} as const

/** As lib/platform/adapters/aws/aws-clients.ts has it of the SDK: five attempts, and after the n-th a random part of 500 ms x 2^n. */
export const retries = { attempts: 5, baseMs: 500 } as const

/** Milliseconds. What a request takes without a queue, and what the functions' code takes of a whole processor (1769 MB). */
export const durations = {
  table: 4,
  sqs: 8,
  s3: 20,
  kms: 5,
  /** An answer of a cluster. */
  cluster: 20,
  /** An environment that starts: `npm run bench -- lambda`. */
  coldStart: 400,
  /** Of a processor, for one request of the SDK: measured over HTTP on the development machine, with a part for TLS. */
  requestCpu: 0.4,
  /** Of a processor, beside requests: what `npm run bench -- aws-cost` bills for one unit of a push, and for a visit of 20. */
  cpu: { visit: 60, build: 12, pass: 18, part: 5, tickPage: 10, handOn: 5 },
} as const

/** Answers of the cluster that a piece of work waits for, one after the other. */
export const clusterAnswers = { visit: 4, pass: 5 } as const
/** GETs of the bucket, and calls of KMS by an environment that has just started. */
export const s3Gets = { build: 2, pass: 1 } as const
export const kmsCallsAtStart = 2
