/** Imported dynamically. A module of its own, so that a bundle has no unused commands. */
export { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
