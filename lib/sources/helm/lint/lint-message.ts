export type Severity = 'INFO' | 'WARNING' | 'ERROR'

/** A finding of `helm lint`. */
export interface LintMessage {
  readonly severity: Severity
  /** File or folder, relative to the chart; '' for the chart as a whole. */
  readonly path: string
  readonly text: string
}

/** Collects findings. A rule passes a problem, or undefined; `rule` returns whether there is none. */
export class LintReport {
  readonly messages: LintMessage[] = []

  rule(severity: Severity, path: string, text: string | undefined): boolean {
    if (text === undefined) return true
    this.messages.push({ severity, path, text })
    return false
  }
}

/** In helm's output format. */
export const formatLintMessage = ({ severity, path, text }: LintMessage): string => `[${severity}] ${path}: ${text}`
