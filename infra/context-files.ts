/** Files that context keys name, and that become a part of the code of `apiserver`. */
import { readFileSync } from 'node:fs'
import { auditPolicyFault } from '../lib/compose/audit-policy.ts'
import { authenticationFault } from '../lib/compose/jwt-authentication.ts'
import { ContextError } from './context.ts'

/** The content of the file that `authenticationConfig` names, if a hub can use it. Fails with ContextError. */
export const authenticationConfigOf = (file: string, tokenIssuer: unknown): string =>
  checked('authenticationConfig', file, source =>
    authenticationFault(source, typeof tokenIssuer === 'string' ? tokenIssuer : undefined),
  )

/** The content of the file that `auditPolicy` names, if a hub can use it. Fails with ContextError. */
export const auditPolicyOf = (file: string): string => checked('auditPolicy', file, auditPolicyFault)

const checked = (key: string, file: string, faultOf: (source: string) => string | undefined): string => {
  const source = contentOf(key, file)
  const fault = faultOf(source)
  if (fault) throw new ContextError([`${key}: ${file}: ${fault}`])
  return source
}

const contentOf = (key: string, file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ContextError([`${key}: ${(error as Error).message}`])
  }
}
