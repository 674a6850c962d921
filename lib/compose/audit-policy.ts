import { type AuditPolicy, readAuditPolicy } from '../hub/apiserver/audit/audit-policy.ts'
import { defaultAuditPolicy } from '../hub/apiserver/audit/default-policy.ts'
import { ConfigurationError } from '../hub/apiserver/configuration/read-configuration.ts'

/** The policy in a file of kube-apiserver's format; without one, writes and reads of Secrets by people. Fails with a ConfigurationError. */
export const auditPolicyIn = (source: string | undefined): AuditPolicy => readAuditPolicy(source || defaultAuditPolicy)

/** Why a hub can't use a policy; undefined if it can. */
export const auditPolicyFault = (source: string): string | undefined => {
  try {
    readAuditPolicy(source)
    return undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}
