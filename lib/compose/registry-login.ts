import { ambientIdentities } from '../platform/cloud/ambient-identities.ts'
import { type CloudLogin, cloudLogin } from '../sources/oci/cloud-login.ts'
import type { Cloud } from './cloud.ts'

/** Logs in to the registries of clouds as this process. */
export const registryLogin = (cloud: Cloud): CloudLogin => cloudLogin(ambientIdentities(cloud), cloud)
