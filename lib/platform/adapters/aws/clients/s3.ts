/** Imported dynamically. A module of its own, so that a bundle has no unused commands. */
export { S3Client } from '@aws-sdk/client-s3'
