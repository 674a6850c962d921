/** Imported dynamically. A module of its own, so that a bundle has no unused commands. */
export { SQSClient } from '@aws-sdk/client-sqs'
