/** Imported dynamically. A module of its own, so that a bundle has no unused commands. */
export { KMSClient } from '@aws-sdk/client-kms'
