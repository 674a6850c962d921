/** To be imported when it is needed; alone, the commands that are not used stay out of a bundle. */
export { S3Client } from '@aws-sdk/client-s3'
