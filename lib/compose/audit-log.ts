import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AuditEvent } from '../hub/apiserver/audit/audit-event.ts'
import { type Audit, auditing } from '../hub/apiserver/audit/audit-trail.ts'
import { rotatingFile } from '../platform/adapters/embedded/rotating-file.ts'
import type { Clock } from '../platform/ports/clock.ts'
import type { Log } from '../platform/ports/log.ts'
import type { Random } from '../platform/ports/random.ts'
import { auditPolicyIn } from './audit-policy.ts'

/** Where and what a hub on this machine records, as in kube-apiserver's flags. */
export interface AuditLogSettings {
  /** The file; `-` is standard output. */
  readonly path: string
  /** The file with the policy; if absent, writes, and reads of Secrets by people. */
  readonly policyFile?: string | undefined
  /** Megabytes of the file before it is rotated. */
  readonly maxSize: number
  /** Number of rotated files to keep; 0 keeps all. */
  readonly maxBackup: number
  /** Days to keep rotated files; 0 keeps them forever. */
  readonly maxAge: number
}

export interface AuditLogPorts {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface AuditLog {
  readonly audit: Audit
  close(): Promise<void>
}

const dayMs = 24 * 60 * 60_000
const megabyte = 1024 * 1024

/** Fails with a ConfigurationError for an invalid policy, or with the system's error. */
export const openAuditLog = async (settings: AuditLogSettings, ports: AuditLogPorts): Promise<AuditLog> => {
  const { policyFile, path } = settings
  const policy = auditPolicyIn(policyFile && (await readFile(policyFile, 'utf8')))
  const { append, close } = path === '-' ? standardOutput : fileAt(path, settings, ports.clock)
  const write = async (event: AuditEvent): Promise<void> => append(JSON.stringify(event))
  return { audit: auditing({ ...ports, policy, write }), close: async () => close() }
}

const fileAt = (path: string, { maxSize, maxBackup, maxAge }: AuditLogSettings, clock: Clock) => {
  const rotation = { maxBytes: maxSize * megabyte, maxBackups: maxBackup, maxAgeMs: maxAge * dayMs }
  return rotatingFile(resolve(path), rotation, clock)
}

const standardOutput = {
  append: (line: string): void => void process.stdout.write(`${line}\n`),
  close: () => {},
}
