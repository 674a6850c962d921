import { ownIdentities } from '../cloud/own-identities.ts'
import { type CloudLogin, cloudLogin } from '../source/oci/cloud-login.ts'
import type { Cloud } from './cloud.ts'

/** Logs in to the registries of clouds as this process. */
export const registryLogin = (cloud: Cloud): CloudLogin => cloudLogin(ownIdentities(cloud), cloud)
