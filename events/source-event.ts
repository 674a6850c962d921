import { type BucketChange, parseBucketChange } from './bucket-change.ts'
import { type CodeCommitPush, parseCodeCommitPush } from './code-commit-push.ts'
import { type EcrPush, parseEcrPush } from './ecr-push.ts'
import { EventError, fieldsOf } from './event-error.ts'

/** EventBridge events for servers and buckets of sources. */
export type SourceEvent =
  | ({ readonly type: 'registry' } & EcrPush)
  | ({ readonly type: 'git' } & CodeCommitPush)
  | ({ readonly type: 'bucket' } & BucketChange)

/** Parses an event of EventBridge; undefined if it does not affect sources. Fails with EventError. */
export const parseSourceEvent = (input: unknown): SourceEvent | undefined => {
  const event = 'event of ECR, CodeCommit or S3'
  const source = fieldsOf(event, input).text('source')
  switch (source) {
    case 'aws.ecr': {
      const push = parseEcrPush(input)
      return push && { type: 'registry', ...push }
    }
    case 'aws.codecommit': {
      const push = parseCodeCommitPush(input)
      return push && { type: 'git', ...push }
    }
    case 'aws.s3':
      return { type: 'bucket', ...parseBucketChange(input) }
    default:
      throw new EventError(event, `source is ${JSON.stringify(source)}`)
  }
}
