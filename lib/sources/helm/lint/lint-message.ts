export type Severity = 'INFO' | 'WARNING' | 'ERROR'

/** Something that `helm lint` finds in a chart. */
export interface LintMessage {
  readonly severity: Severity
  /** The file or folder, below the chart; '' for the chart as a whole. */
  readonly path: string
  readonly text: string
}

/** Collects messages. A rule gives what is wrong, or nothing; `rule` tells whether nothing is. */
export class LintReport {
  readonly messages: LintMessage[] = []

  rule(severity: Severity, path: string, text: string | undefined): boolean {
    if (text === undefined) return true
    this.messages.push({ severity, path, text })
    return false
  }
}

/** As helm prints it. */
export const lintLine = ({ severity, path, text }: LintMessage): string => `[${severity}] ${path}: ${text}`
