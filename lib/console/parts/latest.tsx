import { firstLine } from '../model/phrases.ts'
import { Since } from './time.tsx'

/** The last cells of a row: what an object says, and since when. */
export const Latest = ({ message, since }: { readonly message: string; readonly since: string | undefined }) => (
  <>
    <td class="cut wide quiet" title={message}>
      {firstLine(message)}
    </td>
    <td class="fit num quiet time">
      <Since time={since} />
    </td>
  </>
)
