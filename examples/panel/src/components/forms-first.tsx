import React, { useEffect } from 'react';
import { useNavigate } from 'react-router';

/** Opens the list of forms instead of a dashboard. */
export default function FormsFirst() {
  const navigate = useNavigate();
  useEffect(() => navigate('/admin/resources/forms', { replace: true }), []);
  return <></>;
}
