import { parquetMetadata } from 'hyparquet';

/** A page as its header tells it. */
export interface PageHeader {
  readonly column: string;
  readonly group: number;
  readonly type: 'data' | 'dictionary';
  /** bytes before compression */
  readonly size: number;
  readonly values: number;
  readonly encoding: number;
}

/** Fields of a Thrift struct of integers and structs, which is all that page headers hold. */
type Struct = { [id: number]: number | Struct };

function readStruct(bytes: Uint8Array, start: number): [fields: Struct, end: number] {
  const fields: Struct = {};
  let at = start;
  let id = 0;
  for (;;) {
    const header = bytes[at++] ?? 0;
    if (header === 0) return [fields, at];
    if (header < 16) throw new RangeError('a field far from the one before');
    id += header >> 4;
    if ((header & 15) === 12) {
      const [inner, end] = readStruct(bytes, at);
      fields[id] = inner;
      at = end;
      continue;
    }
    if ((header & 15) !== 5) throw new RangeError(`a field of type ${header & 15}`);
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    fields[id] = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

const numberAt = (fields: Struct, id: number): number => Number(fields[id]);

/** The headers of all pages, found by walking each column chunk from where the footer says that it begins. */
export function pageHeaders(file: Buffer): PageHeader[] {
  const footer = parquetMetadata(Uint8Array.from(file).buffer);
  return footer.row_groups.flatMap((group, index) =>
    group.columns.flatMap(({ meta_data: chunk }) => {
      if (chunk === undefined) throw new RangeError('a column chunk without metadata');
      const pages: PageHeader[] = [];
      const start = Number(chunk.dictionary_page_offset ?? chunk.data_page_offset);
      let at = start;
      let [plain, values] = [0, 0];
      while (at < start + Number(chunk.total_compressed_size)) {
        const [fields, end] = readStruct(file, at);
        const isData = numberAt(fields, 1) === 0;
        const header = fields[isData ? 5 : 7] as Struct;
        if (isData && values === 0 && at !== Number(chunk.data_page_offset)) {
          throw new RangeError('the first data page is not where the footer says');
        }
        pages.push({
          column: chunk.path_in_schema[0] ?? '',
          group: index,
          type: isData ? 'data' : 'dictionary',
          size: numberAt(fields, 2),
          values: numberAt(header, 1),
          encoding: numberAt(header, 2),
        });
        if (isData) values += numberAt(header, 1);
        plain += end - at + numberAt(fields, 2);
        at = end + numberAt(fields, 3);
      }
      // what the footer sums up
      if (at !== start + Number(chunk.total_compressed_size))
        throw new RangeError('pages run over the chunk');
      if (plain !== Number(chunk.total_uncompressed_size)) throw new RangeError('a wrong uncompressed size');
      if (values !== Number(chunk.num_values)) throw new RangeError('a wrong number of values');
      return pages;
    }),
  );
}
