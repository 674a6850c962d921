import type { AuditPage } from '../foundations/fleet/audit-entry.ts'
import type { HubApi } from './hub-api.ts'
import { withQuery } from './with-query.ts'

/** Which entries of the audit log: each term that is given must hold. */
export interface AuditTerms {
  readonly namespace?: string | undefined
  /** A part of the name of who did it. */
  readonly user?: string | undefined
  readonly verb?: string | undefined
  /** A part of `kustomizations/apps/web`. */
  readonly object?: string | undefined
  /** `true`: only what was refused; `false`: only what was not. */
  readonly refused?: string | undefined
  /** RFC 3339. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** The newest first, of what the user may see. Fails with ApiFailure or HubUnreachable. */
export const readAudit = (
  api: HubApi,
  terms: AuditTerms,
  page: { readonly limit: number; readonly continue?: string | undefined },
  signal: AbortSignal,
): Promise<AuditPage> =>
  api.get<AuditPage>(auditPath({ ...terms, limit: String(page.limit), continue: page.continue }), signal)

/** For commands that show the same. */
export const auditPath = (terms: AuditTerms & { readonly limit?: string; readonly continue?: string | undefined }) =>
  withQuery('/fleet/audit', { ...terms })
