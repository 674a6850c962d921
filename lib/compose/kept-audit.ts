import { auditInAll } from '../hub/apiserver/audit/audit-in-all.ts'
import type { Audit } from '../hub/apiserver/audit/audit-trail.ts'
import { auditingInHub, type KeptAuditPorts } from '../hub/apiserver/audit/kept-entries.ts'
import type { CoreSettings } from './platform.ts'

/** The audit log that every hub keeps, together with one that the operator has configured. */
export const composeAudit = (
  ports: KeptAuditPorts,
  { runsRetention }: Pick<CoreSettings, 'runsRetention'>,
  configured: Audit | undefined,
): Audit => auditInAll([auditingInHub(ports, runsRetention), ...(configured ? [configured] : [])])
