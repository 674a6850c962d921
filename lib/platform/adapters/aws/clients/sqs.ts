/** To be imported when it is needed; alone, the commands that are not used stay out of a bundle. */
export { SQSClient } from '@aws-sdk/client-sqs'
