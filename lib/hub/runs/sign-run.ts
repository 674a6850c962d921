import type { RunContent, RunReceipt, RunSignature } from '../../foundations/kinds/run.ts'
import { inToto, signedBytesOf } from '../../foundations/rules/dsse.ts'
import { type RunName, runStatement } from '../../foundations/rules/run-statement.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { ReceiptKeys } from './receipt-keys.ts'

/**
 * Signs a Run that is over. `reportedBy`: the Cluster whose runner has reported it, as `NAMESPACE/NAME`. Undefined while the Run is in progress, or
 * if the key can't be used, which is logged: the Run is recorded nevertheless.
 */
export type SignRun = (run: RunName, content: RunContent, reportedBy?: string) => Promise<RunSignature | undefined>

/**
 * Signs the in-toto statement of a Run in a DSSE envelope, of which only the signature is kept: the statement follows
 * from the Run.
 */
export const signRuns =
  (keys: Pick<ReceiptKeys, 'sign'>, log: Pick<Log, 'error'>): SignRun =>
  async (run, content, reportedBy) => {
    if (content.finishedAt === undefined) return undefined
    const payload = payloadOf(run, content, reportedBy)
    try {
      const { keyId, signature } = await keys.sign(signedBytesOf({ payload, payloadType: inToto }))
      const sig = signature.toString('base64')
      return { keyid: keyId, sig, ...(reportedBy !== undefined && { reportedBy }) }
    } catch (error) {
      const { namespace, name } = run
      log.error('a Run is recorded without a receipt: its key could not be used', { namespace, name, error })
      return undefined
    }
  }

/** The receipt of a stored Run. If the Run was altered, the signature does not match it. */
export const receiptOf = (
  run: RunName,
  content: RunContent,
  { reportedBy, ...signature }: RunSignature,
): RunReceipt => ({
  payloadType: inToto,
  payload: payloadOf(run, content, reportedBy).toString('base64'),
  signatures: [signature],
})

const payloadOf = (run: RunName, content: RunContent, reportedBy?: string): Buffer =>
  Buffer.from(JSON.stringify(runStatement(run, content, reportedBy)))
