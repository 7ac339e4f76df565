// The params of a task as a table. On a phone, each param is a block.
import type { ParamRow } from './param-rows.ts';

export const ParamTable = ({ rows }: { rows: readonly ParamRow[] }) => (
  <table className="param-table">
    <thead>
      <tr>
        <th scope="col">Param</th>
        <th scope="col">Type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ path, isRequired, type, description }) => (
        <tr key={path}>
          <th scope="row">
            <code>{path}</code>
            {isRequired && <span className="param-sign">required</span>}
          </th>
          <td>{type}</td>
          <td>{description || '–'}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
