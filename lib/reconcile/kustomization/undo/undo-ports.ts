import type { Hub } from '../../../hub/store/hub.ts'

export interface UndoPorts {
  /** For the annotation of a unit that goes back by itself. */
  readonly hub: Pick<Hub, 'patch'>
}
